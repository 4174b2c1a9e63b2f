import { commandsFor } from "./commands.ts";
import { formatProblem } from "./problem.ts";

export const unattendedVariable = "PILLAR_HOST_UNATTENDED";

/** True if PILLAR_HOST_UNATTENDED is set. Any value but an empty one, 0, no and false counts, so that a typo counts. */
export function isUnattended(environment: Readonly<Record<string, string | undefined>>): boolean {
  const value = environment[unattendedVariable]?.trim().toLowerCase() ?? "";
  return !["", "0", "no", "false"].includes(value);
}

/** Value of pillar-host:sync.wait. `check` and `await` end a run after one lookup, as failed or as awaiting. */
export type WaitMode = "block" | "check" | "await";

/** Returns the configured way to wait. Without one, an unattended run does not block. */
export function decideWait(configured: WaitMode | undefined, environment = process.env): WaitMode {
  return configured ?? (isUnattended(environment) ? "await" : "block");
}

/** Formats why an unattended run refuses an action, such as "move the orchestrator". */
export function formatUnattendedRefusal(
  action: string,
  again: "up" | "destroy",
  stack: string,
  found?: string,
): string {
  return formatProblem({
    what: `refusing to ${action} in an unattended run; nothing was changed`,
    found: [found, `${unattendedVariable} is set`],
    needed: "run this by hand, in a shell without that variable",
    next: `Then: env -u ${unattendedVariable} ${commandsFor(stack)[again]}`,
  });
}
