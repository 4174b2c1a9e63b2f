import { commandsFor } from "./commands";

/** The environment variable that says that nobody watches this run, as on a schedule or in CI. */
export const unattendedVariable = "PILLAR_HOST_UNATTENDED";

/** True if a run says so: anything but an empty value, 0, no or false does, since a slip must not mean "go on". */
export function isUnattended(environment: Readonly<Record<string, string | undefined>>): boolean {
  const value = environment[unattendedVariable]?.trim().toLowerCase() ?? "";
  return !["", "0", "no", "false"].includes(value);
}

/**
 * Why a run that nobody watches does not do what can't be taken back.
 *
 * @param what as in "the signer is moved"
 * @param again what is typed by somebody who watches
 */
export function unattendedRefusal(what: string, again: "up" | "destroy", stack: string): string {
  return unattendedLines(what, again, stack).join("\n");
}

/** The same, a line each: the first says what. */
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
