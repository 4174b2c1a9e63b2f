import { createHostTarget } from "../core/ssh/configuredLogin.ts";
import { createConnection, runScript, type ScriptError } from "../core/ssh/connection.ts";
import { hourlyRestart } from "../core/steps/nodeSteps.ts";
import { createEnvelope } from "../core/steps/step.ts";
import { createReceiver } from "../core/steps/stepVariables.ts";
import { say } from "../core/util/printable.ts";
import { ProblemError } from "../core/util/problem.ts";
import { defineResource, hasChanges } from "./runtime/dynamicResource.ts";
import type { ProviderRun } from "./runtime/provider.ts";
import { type HostIdentity, readStackConfig } from "./runtime/stackConfig.ts";

/**
 * Keeps the hourly restart off once the node has synced, because an operator may enable its line again
 * (docs/specification.md, 1.1, step 14). Works only in a run that found it on. delete does nothing.
 */
export class HourlyRestartOff extends defineResource<OffInputs, object, OffWork>({
  type: "HourlyRestartOff",
  prepare: prepareOff,
  create: turnOffIfFound,
  update: (_olds, news, run) => turnOffIfFound(news, run),
  // A run that does not find it on leaves `found` out, which is no reason for an update.
  changes: (olds, news) => hasChanges(olds, news),
  outputs: {},
}) {}

interface OffInputs extends HostIdentity {
  /** A new value in each run that found the restart on; otherwise absent. */
  readonly found?: string | undefined;
}

const timeoutMs = 120_000;

type OffWork = ReturnType<typeof prepareOff>;

async function turnOffIfFound({ found }: OffInputs, { prepare }: ProviderRun<OffWork>): Promise<object> {
  if (found !== undefined) await turnOff(prepare());
  return {};
}

/** Returns the login, and the script that turns the restart off. Secret. */
function prepareOff({ stack, address, hostKey }: OffInputs) {
  const config = readStackConfig(stack);
  const script = createEnvelope(hourlyRestart(config, "synced"), createReceiver(config, address));
  return { target: createHostTarget(config, address, hostKey), script };
}

/** @throws Error for the operator if the restart stays on */
async function turnOff({ target, script }: OffWork): Promise<void> {
  const connection = createConnection(target, undefined, true);
  try {
    say(`hourly restart: found on again in root's crontab of ${target.address}, after the node had synced`);
    for (const line of await runScript(connection, "hourlyRestart", script, timeoutMs)) say(line);
  } catch (error) {
    const { printed = [], message } = error as Partial<ScriptError>;
    for (const line of printed) say(line);
    throw new ProblemError({
      what: `${target.address}: the hourly restart is on, and could not be turned off: a producing node misses momentums`,
      found: message,
      next: "Put a # at the start of its line with crontab -e on the host, then run the same command again.",
    });
  } finally {
    connection.drop();
  }
}
