import * as pulumi from "@pulumi/pulumi";
import type { CloudConfig } from "../../core/cloud/cloud";
import type { KeepDecision } from "../../core/cloud/decideServer";
import { setProtection } from "../../core/cloud/power";
import type { LogEvent } from "../../core/eventLog/events";
import { findValidEvents } from "../../core/eventLog/guardFacts";
import { systemClock } from "../../core/util/clock";
import { commandsFor } from "../../core/util/commands";
import { info, warn } from "../log";
import { readStackEvents } from "../stackLog";

/** Turns on the protection that an interrupted destroy turned off. The plugin does not, because its state is old. */
export async function restoreProtection(config: CloudConfig, plan: KeepDecision): Promise<void> {
  const { stack, host, apiEndpoint: endpoint } = config;
  const { provider, token, importId } = host;
  if (!needsProtection(plan, importId === undefined, await readStackEvents(config), stack)) return;
  const { id } = plan.server;
  const which = `server ${id} at ${provider}`;
  if (pulumi.runtime.isDryRun()) {
    info(`${which} is not protected against deletion: the next run protects it again`);
    return;
  }
  try {
    const isChanged = await setProtection({ provider, id, token, endpoint }, true, systemClock);
    if (isChanged) info(`${which} is protected against deletion again`);
  } catch (error) {
    // A server without protection against deletion works, so the run goes on.
    warn(
      `${which} is not protected against deletion, and can't be now: ${(error as Error).message}\n` +
        `  To try again: ${commandsFor(stack).up}; or set the protection in the provider's console`,
    );
  }
}

/** True if the protection must be set again: on an adopted server only if a destroy removed it. */
export function needsProtection(
  { server, isHalfMade }: KeepDecision,
  isOwn: boolean,
  events: readonly LogEvent[],
  stack: string,
): boolean {
  // Undefined if the provider has no such protection. A half-made server may be busy: the next run sets it.
  if (server.isProtected !== false || isHalfMade) return false;
  const released = findValidEvents(events, stack, "unprotected").at(-1)?.details;
  return isOwn || (released?.serverId === server.id && released.wasProtected === true);
}
