import type { Commands } from "../util/commands";

/** What sets a fault right: the schema knows no stack, so it names the key, and the command is made where both are known. */
export type FaultCure =
  | { readonly set: string; readonly to: string | number }
  /** To what the operator fills in, or the shell finds, as `ADDRESS`. */
  | { readonly set: string; readonly toWord: string }
  | { readonly remove: string };

/** How keys do not fit together: the key below `pillar-host:`, as a path, and what is wrong. */
export type SchemaFault = readonly [path: readonly string[], message: string, cure?: FaultCure];

/** The command of a cure (pure). */
export function cureCommand(cure: FaultCure, run: Commands): string {
  if ("remove" in cure) return run.remove(cure.remove);
  return "toWord" in cure ? run.setTo(cure.set, cure.toWord) : run.set(cure.set, cure.to);
}
