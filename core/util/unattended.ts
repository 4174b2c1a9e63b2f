import { commandsFor } from "./commands";

export const unattendedVariable = "PILLAR_HOST_UNATTENDED";

/** True if the run is marked as unattended. Every value but empty, 0, no and false counts, so that a typo counts. */
export function isUnattended(environment: Readonly<Record<string, string | undefined>>): boolean {
  const value = environment[unattendedVariable]?.trim().toLowerCase() ?? "";
  return !["", "0", "no", "false"].includes(value);
}

/** Formats why an unattended run refuses something, such as "the signer is moved". */
export function unattendedRefusal(what: string, again: "up" | "destroy", stack: string): string {
  return unattendedLines(what, again, stack).join("\n");
}

export function unattendedLines(
  what: string,
  again: "up" | "destroy",
  stack: string,
): [what: string, ...rest: string[]] {
  return [
    `${what} only in a run that somebody watches`,
    `  found: ${unattendedVariable} is set, so nobody does`,
    "  needed: the same run by hand, in a shell without it",
    `  Then: env -u ${unattendedVariable} ${commandsFor(stack)[again]}`,
  ];
}
