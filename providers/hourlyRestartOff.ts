import { createConnection, runScript, type ScriptError } from "../core/ssh/connection.ts";
import type { SshTarget } from "../core/ssh/ssh.ts";
import { say } from "../core/util/printable.ts";
import { createProblemError } from "../core/util/problem.ts";
import { defineResource, hasChanges } from "./runtime/dynamicResource.ts";

/**
 * Keeps the hourly restart off once the node has synced, because an operator may enable its line again
 * (docs/specification.md, 1.1, step 14). Works only in a run that found it on. delete does nothing.
 */
export class HourlyRestartOff extends defineResource<OffInputs, object>({
  type: "HourlyRestartOff",
  id: () => "hourly-restart-off",
  create: turnOff,
  update: (_olds, news) => turnOff(news),
  // A run that does not find it on leaves `found` out, which is no reason for an update.
  changes: (olds, news) => hasChanges(olds, news),
  secretInputs: ["target", "script"],
  outputs: {},
}) {}

interface OffInputs {
  readonly target: SshTarget;
  /** The script that turns it off, for `bash -euo pipefail -s` as the login user. */
  readonly script: string;
  /** A new value in each run that found the restart on; otherwise absent. */
  readonly found?: string | undefined;
}

const timeoutMs = 120_000;

/** Turns the restart off if this run found it on. @throws if it stays on */
async function turnOff({ target, script, found }: OffInputs): Promise<object> {
  if (found === undefined) return {};
  const connection = createConnection(target, undefined, true);
  try {
    say(`hourly restart: found on again in root's crontab of ${target.address}, after the node had synced`);
    for (const line of await runScript(connection, "hourlyRestart", script, timeoutMs)) say(line);
    return {};
  } catch (error) {
    const { printed = [], message } = error as Partial<ScriptError>;
    for (const line of printed) say(line);
    throw createProblemError({
      what: `${target.address}: the hourly restart is on, and could not be turned off: a producing node misses momentums`,
      found: message,
      next: "Put a # at the start of its line with crontab -e on the host, then run the same command again.",
    });
  } finally {
    connection.drop();
  }
}
