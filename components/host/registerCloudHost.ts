import * as pulumi from "@pulumi/pulumi";
import type { CloudConfig } from "../../core/cloud/cloud.ts";
import { describeOtherEndpoint, openCloud } from "../../core/cloud/clouds.ts";
import {
  decideServer,
  type HostRefusal,
  type KeepDecision,
  type ServerDecision,
} from "../../core/cloud/decideServer.ts";
import { listOpenings, warnOfOpenSsh } from "../../core/cloud/firewall.ts";
import { openOrderRecords } from "../../core/cloud/orderRecord.ts";
import { setProtection } from "../../core/cloud/power.ts";
import { readStackEvents } from "../../core/eventLog/eventLog.ts";
import type { LogEvent } from "../../core/eventLog/events.ts";
import { findValidEvents } from "../../core/eventLog/guardFacts.ts";
import { hasOrchestrator } from "../../core/eventLog/orchestratorPresence.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { createServerName, formatConsoleHelp } from "../../core/ssh/ownServer.ts";
import { systemClock } from "../../core/util/clock.ts";
import { commandsFor, someHostKey } from "../../core/util/commands.ts";
import { formatProblem, hasKind, type ProblemError } from "../../core/util/problem.ts";
import { info, warn } from "../log.ts";
import type { NodeHostReader } from "../node/nodeReading.ts";
import { createAdoptedHost, createCloudHost } from "./cloudHost.ts";
import type { CloudRun } from "./cloudParts.ts";
import type { RegisteredHost } from "./host.ts";
import { createHostArgs } from "./hostComponent.ts";

/** Decides which server to order or use, and registers it. @throws RunError, before anything is registered */
export async function registerCloudHost(
  config: CloudConfig,
  last: LastRun,
  look?: NodeHostReader,
): Promise<RegisteredHost> {
  const { provider, importId } = config.host;
  const cloud = openCloud(config);
  const note = describeOtherEndpoint(config);
  if (note) info(note);
  const orders = openOrderRecords(config);
  const record = await orders.read();
  const deciding = { config, cloud, orders, record };
  const plan = await decide(deciding);
  if (plan.kind === "gone") return { shown: { provider } };
  const run = { ...deciding, plan };
  const args = createHostArgs(config, last, look);
  const register = async () => {
    if (importId !== undefined && plan.kind === "keep") return createAdoptedHost({ ...run, plan }, args);
    const openings = listOpenings(config, await hasOrchestrator(config, last.orchestrator?.side));
    const strangers = plan.kind === "keep" ? await formatStrangers({ ...run, plan }, last) : {};
    return createCloudHost(run, { ...args, openings, strangers });
  };
  const host = await register();
  const { serverId, fingerprint } = host;
  // Waits for the plugin's actions, because the provider refuses one while another is running on the server.
  if (plan.kind === "keep") serverId.apply(() => restoreProtection(config, plan));
  const { plan: name, location } = plan.kind === "make" ? plan.offer : plan.server;
  return { host, shown: { provider, plan: name, location, serverId, address: host.access.address, fingerprint } };
}

/**
 * Formats the errors for a server that this state did not order: in case this state has no host key of it, or the number
 * of another order. A server that the last run used is no stranger by its number.
 */
async function formatStrangers({ config, cloud, plan }: CloudRun<KeepDecision>, last: LastRun) {
  const { id, name, address = "without an address", order } = plan.server;
  const run = commandsFor(config.stack);
  const location = findValidEvents(await readStackEvents(config), config.stack, "location").at(-1)?.details;
  const recordedKey = location?.serverId === id ? location.hostKey : undefined;
  const format = (found: string) =>
    formatProblem({
      what: `${createServerName({ name, id })} at ${cloud.provider}, ${address}: it carries this stack's labels, and this state did not order it: it may be a live Pillar. Nothing was changed`,
      found,
      needed: "restore the state that ordered it, or set pillar-host:host.hostKey to adopt the server as it is",
      next: [
        recordedKey !== undefined && `The event log on this machine has its key: ${recordedKey}`,
        formatConsoleHelp({ console: cloud.describeConsole(id) }),
        "If the server is yours, pin the key that its console shows (cat /etc/ssh/ssh_host_ed25519_key.pub):",
        `  ${run.set("host.hostKey", someHostKey)} && ${run.up}`,
      ],
    });
  const other =
    order === undefined ? "no number of an order on the server" : `the number ${order} of another order on the server`;
  const where = "was the state lost, is this another checkout or back end, did another machine order it?";
  return {
    stranger: format(`no host key of the server in this stack's state: ${where}`),
    otherOrder: last.serverId === id ? undefined : format(`${other}: ${where}`),
  };
}

async function decide({ config, cloud, orders, record }: Omit<CloudRun, "plan">): Promise<ServerDecision> {
  const decided = await decideServer(config, cloud, record).catch((error: ProblemError): HostRefusal => {
    if (!hasKind(error, "cloud")) throw error;
    const isOfToken = [401, 403].includes(error.problem.status ?? 0);
    const set = `  Set it with: ${commandsFor(config.stack).setSecret("host.token")}`;
    return { faults: [error.message, ...(isOfToken ? [set] : [])] };
  });
  if ("faults" in decided) {
    if (decided.isExhausted) await orders.write({ attempts: [], shown: record.shown, sent: record.sent });
    throw new pulumi.RunError(
      `The host of stack ${config.stack} can't be ordered or used at ${cloud.provider}; nothing was changed:\n` +
        decided.faults.join("\n").replace(/^/gm, "  "),
    );
  }
  const { plan, lines, warnings } = decided;
  for (const line of lines) info(line);
  for (const line of [...warnings, ...warnOfOpenSsh(config.host.sshFrom)]) warn(line);
  // Even a preview stores the first price that it shows, because the maximum price of an order depends on it.
  if (plan.kind === "make" && plan.shown !== record.shown) await orders.write({ ...record, shown: plan.shown });
  return plan;
}

/** Turns on the protection that an interrupted destroy turned off. The plugin does not, because its state is old. */
async function restoreProtection(config: CloudConfig, plan: KeepDecision): Promise<void> {
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
      `${which} is not protected against deletion, and can't be now: ${(error as Error).message}\n  To try again: ${commandsFor(stack).up}; or set the protection in the provider's console`,
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
