export const project = "pillar-host";

export function formatConfigFaults(stack: string, faults: readonly string[], effect: string, again: string): string {
  return [
    `The configuration of stack ${stack} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}${effect}:`,
    ...faults.map((fault) => `  - ${fault}`),
    `Correct it in Pulumi.${stack.replace(/^.*\//, "")}.yaml (docs/configuration.md has all keys), then run ${again} again.`,
  ].join("\n");
}
