import { listLeftOut } from "../chain/reading";
import { commandsFor } from "../util/commands";
import { quote } from "../util/quote";
import {
  addressMark,
  type Finding,
  type Loss,
  type RetirementFacts,
  type RetirementStep,
  type RetirementVerdict,
  type Unmet,
} from "./retirementFacts";

/** Environment variable of the override; its value is the sentence that a refusal prints. */
export const overrideVariable = "PILLAR_HOST_GIVE_UP_ANYWAY";

const order: readonly Loss[] = ["momentums", "rewards", "the orchestrator"];

export function formatOverrideSentence(pillar: string, unmet: readonly Unmet[]): string {
  const losses = order.filter((each) => unmet.some(({ loss }) => loss === each));
  const list = losses.length > 1 ? `${losses.slice(0, -1).join(", ")} and ${losses.at(-1)}` : (losses[0] ?? "nothing");
  return `${pillar}: I accept to lose ${list}`;
}

/** Formats a finding; `formatAddress` decides how a producer address appears. */
export function formatFinding(
  found: Finding,
  formatAddress: (address: string) => string = (address) => address,
): string {
  if (typeof found === "string") return found;
  return found.addresses.reduce((text, address) => text.replace(addressMark, () => formatAddress(address)), found.text);
}

export function formatUnmet({ what, saidBy = [], found = [], needed }: Unmet): string[] {
  const who = new Intl.ListFormat("en-GB").format(saidBy);
  const says = saidBy.length === 0 ? "" : `, ${saidBy.length === 1 ? "says" : "say"} ${who}`;
  return [`- ${what}${says}`, ...found.map((each) => `    found: ${formatFinding(each)}`), `    needed: ${needed}`];
}

const wording: Readonly<Record<RetirementStep, { readonly what: string; readonly again: "up" | "destroy" }>> = {
  retire: { what: "shut down", again: "up" },
  destroy: { what: "given up", again: "destroy" },
};

/** Formats how to override the refusal. Operators paste the last line: no override there while waiting is enough. */
function formatOverride(pillar: string, unmet: readonly Unmet[], command: string): string[] {
  if (unmet.every(({ isCuredByTime }) => isCuredByTime === true))
    return ["  Waiting is enough. If it is impossible to wait: docs/retiring.md, The way around"];
  return [
    "  The only way around this refusal, at the price that this command names:",
    `  ${overrideVariable}=${quote(formatOverrideSentence(pillar, unmet))} ${command}`,
  ];
}

/** Formats a refusal: every unmet condition, and the command to run then. */
export function formatRefusal(facts: RetirementFacts, { unmet }: RetirementVerdict): string {
  const { step, stack, pillar, address, readings, host } = facts;
  const { what, again } = wording[step];
  const command = commandsFor(stack)[again];
  const changed = "off" in host ? "the host was switched off, and nothing else was changed" : "nothing was changed";
  const count = unmet.length === 1 ? "One condition is" : `${unmet.length} conditions are`;
  const left = listLeftOut(readings).map((note) => `  ${note}`);
  return [
    `${address}, the host of stack ${stack} for ${pillar}, can't be ${what} yet; ${changed}. ${count} not met:`,
    ...unmet.flatMap(formatUnmet).map((line) => `  ${line}`),
    ...(unmet.some(({ loss }) => loss === "momentums") ? left : []),
    `  Then: ${command}`,
    ...(step === "destroy" ? formatOverride(pillar, unmet, command) : []),
  ].join("\n");
}
