import type { Commands } from "../util/commands";

export const project = "pillar-host";

export function formatConfigFaults(stack: string, faults: readonly string[], effect: string, again: string): string {
  return [
    `The configuration of stack ${stack} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}${effect}:`,
    ...faults.map((fault) => `  - ${fault}`),
    `Correct it in Pulumi.${stack}.yaml, then run ${again} again.`,
  ].join("\n");
}

/** Names a key and its change, not the command: the schema does not know the stack that the command needs. */
export type FaultCure =
  | { readonly set: string; readonly to: string | number }
  /** A placeholder such as `ADDRESS`, or an expression for the shell. */
  | { readonly set: string; readonly toWord: string }
  | { readonly remove: string };

/** A combination of keys that is refused: the key's path below `pillar-host:`, and the message. */
export type SchemaFault = readonly [path: readonly string[], message: string, cure?: FaultCure];

export function formatCure(cure: FaultCure, run: Commands): string {
  if ("remove" in cure) return run.remove(cure.remove);
  return "toWord" in cure ? run.setTo(cure.set, cure.toWord) : run.set(cure.set, cure.to);
}
