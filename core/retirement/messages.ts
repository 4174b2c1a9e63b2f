import type { Loss, RetirementFacts, RetirementStep, RetirementVerdict, Unmet } from "./facts";

/** The environment variable of the way around: the sentence that a refusal prints. */
export const overrideVariable = "PILLAR_HOST_GIVE_UP_ANYWAY";

const order: readonly Loss[] = ["momentums", "rewards", "the signer"];

/** The sentence that stands for an operator who goes on in spite of everything that is not met (pure). */
export function overrideSentence(pillar: string, unmet: readonly Unmet[]): string {
  const losses = order.filter((each) => unmet.some(({ loss }) => loss === each));
  const list = losses.length > 1 ? `${losses.slice(0, -1).join(", ")} and ${losses.at(-1)}` : (losses[0] ?? "nothing");
  return `${pillar}: I accept to lose ${list}`;
}

/** A condition as lines for the operator (pure). */
export function unmetLines({ what, saidBy = [], found = [], needed }: Unmet): string[] {
  const says = saidBy.length === 0 ? "" : saidBy.length === 1 ? `, says ${saidBy[0]}` : `, say ${saidBy.join(" and ")}`;
  return [`- ${what}${says}`, ...found.map((line) => `    found: ${line}`), `    needed: ${needed}`];
}

const doing: Readonly<Record<RetirementStep, { readonly what: string; readonly again: string }>> = {
  retire: { what: "shut down", again: "pulumi up" },
  destroy: { what: "given up", again: "pulumi destroy" },
};

/** Everything that stands in the way, and what to type (pure). */
export function refusalText(facts: RetirementFacts, { unmet }: RetirementVerdict): string {
  const { step, stack, pillar, address, readings, host } = facts;
  const { what, again } = doing[step];
  const changed = "off" in host ? "it was switched off, and nothing else was changed" : "nothing was changed";
  const count = unmet.length === 1 ? "One condition is" : `${unmet.length} conditions are`;
  const left = readings.flatMap((reading) =>
    "fault" in reading ? [`  left out: ${reading.source}: ${reading.fault}`] : [],
  );
  return [
    `${address}, the host of stack ${stack} for ${pillar}, can't be ${what} yet; ${changed}. ${count} not met:`,
    ...unmet.flatMap(unmetLines).map((line) => `  ${line}`),
    ...(unmet.some(({ loss }) => loss === "momentums") ? left : []),
    `  Then: ${again} -s ${stack}`,
    ...(step === "destroy"
      ? [
          "  The only way around it, at this price, is to type it out:",
          `  ${overrideVariable}='${overrideSentence(pillar, unmet)}' ${again} -s ${stack}`,
        ]
      : []),
  ].join("\n");
}
