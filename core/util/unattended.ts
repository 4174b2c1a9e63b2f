import { commandsFor } from "./commands";

/** Environment variable that marks a run as unattended, such as a run on a schedule or in CI. */
export const unattendedVariable = "PILLAR_HOST_UNATTENDED";

/**
 * True if the environment marks the run as unattended. Every value except empty, 0, no and false counts, so that a typo
 * does not let the run continue.
 */
export function isUnattended(environment: Readonly<Record<string, string | undefined>>): boolean {
  const value = environment[unattendedVariable]?.trim().toLowerCase() ?? "";
  return !["", "0", "no", "false"].includes(value);
}

/**
 * Formats why an unattended run refuses something that can't be undone.
 *
 * @param what as in "the signer is moved"
 * @param again the command for an attended run
 */
export function unattendedRefusal(what: string, again: "up" | "destroy", stack: string): string {
  return unattendedLines(what, again, stack).join("\n");
}

/** Returns the lines of that refusal. The first line says what is refused. */
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
