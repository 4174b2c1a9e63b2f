import { listLeftOut } from "../chain/reading.ts";
import { commandsFor } from "../util/commands.ts";
import { quote } from "../util/quote.ts";
import type { Loss, RetirementFacts, RetirementVerdict, Unmet } from "./retirementFacts.ts";

/** Environment variable of the override; its value is the sentence that a refusal prints. */
export const overrideVariable = "PILLAR_HOST_GIVE_UP_ANYWAY";

const order: readonly Loss[] = ["momentums", "rewards", "the orchestrator"];
const join = (words: readonly string[]) => new Intl.ListFormat("en-GB").format(words);

type Given = Pick<RetirementFacts, "pillar" | "stack" | "address">;

/** Formats the sentence of one stack, host and loss: left in the environment, it fits no other destroy. */
export function formatOverrideSentence({ pillar, stack, address }: Given, unmet: readonly Unmet[]): string {
  return `${pillar}, stack ${stack}, host ${address}: I accept to lose ${join(order.filter((each) => unmet.some(({ loss }) => loss === each)))}`;
}

export function formatUnmet({ what, saidBy = [], found = [], needed }: Unmet): string[] {
  const says = saidBy.length === 0 ? "" : `, ${saidBy.length === 1 ? "says" : "say"} ${join(saidBy)}`;
  return [`- ${what}${says}`, ...found.map((each) => `    found: ${each}`), `    needed: ${needed}`];
}

/** Formats a refusal: every unmet condition, the command to run then, and how to override the refusal of a destroy. */
export function formatRefusal(facts: RetirementFacts, { unmet }: RetirementVerdict, isOverrideSet = false): string {
  const { step, stack, pillar, address, readings, host } = facts;
  const isDestroy = step === "destroy";
  const command = commandsFor(stack)[isDestroy ? "destroy" : "up"];
  const changed = "off" in host ? "the host was switched off, and nothing else was changed" : "nothing was changed";
  const count = unmet.length === 1 ? "One condition is" : `${unmet.length} conditions are`;
  const left = listLeftOut(readings).map((note) => `  ${note}`);
  return [
    `${address}, the host of stack ${stack} for ${pillar}, can't be ${isDestroy ? "given up" : "shut down"} yet; ${changed}. ${count} not met:`,
    ...unmet.flatMap(formatUnmet).map((line) => `  ${line}`),
    ...(unmet.some(({ loss }) => loss === "momentums") ? left : []),
    `  Then: ${command}`,
    ...(isDestroy ? formatOverride(facts, unmet, command, isOverrideSet) : []),
  ].join("\n");
}

/** Formats the override. Operators paste the last line, so it has no override while each condition can be met. */
function formatOverride(facts: RetirementFacts, unmet: readonly Unmet[], command: string, isOverrideSet: boolean) {
  if (unmet.every(({ isCuredByTime }) => isCuredByTime === true))
    return ["  Waiting is enough. If it is impossible to wait: docs/retiring.md, The way around"];
  if ("facts" in facts.host && !isOverrideSet)
    return ["  Only if a condition can never be met: docs/retiring.md, The way around"];
  return [
    "  The only way around this refusal, at the price that this command names:",
    `  ${overrideVariable}=${quote(formatOverrideSentence(facts, unmet))} ${command}`,
  ];
}
