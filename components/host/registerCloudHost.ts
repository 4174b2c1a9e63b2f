import * as pulumi from "@pulumi/pulumi";
import type { Cloud, Owner } from "../../core/cloud/cloud";
import { createCloud } from "../../core/cloud/clouds";
import { decideServer, type HostRefusal, type ServerDecision } from "../../core/cloud/decideServer";
import { listOpenings, warnOfOpenSsh } from "../../core/cloud/firewall";
import { isCloudError } from "../../core/cloud/http";
import { type OrderRecord, type OrderRecords, openOrderRecords } from "../../core/cloud/orderRecord";
import type { StackConfig } from "../../core/config/config";
import type { CloudHostConfig } from "../../core/config/hostSchema";
import { findValidEvents } from "../../core/eventLog/guardFacts";
import { hasOrchestrator } from "../../core/eventLog/orchestratorPresence";
import { deriveConfiguredPublicKey } from "../../core/ssh/configuredLogin";
import { formatOtherMachine } from "../../core/ssh/ownServer";
import { commandsFor } from "../../core/util/commands";
import type { LastRun } from "../lastRun";
import { info, warn } from "../log";
import { readStackEvents } from "../stackLog";
import { AdoptedServer } from "./adoptedServer";
import { CloudHost } from "./cloudHost";
import { createDigitaloceanParts } from "./digitalocean";
import { createHetznerParts } from "./hetzner";
import type { RegisteredHost } from "./host";
import { createHostArgs } from "./hostArgs";
import { restoreProtection } from "./restoreProtection";

export const createParts = { hetzner: createHetznerParts, digitalocean: createDigitaloceanParts };

/** Decides which server to order or use, and registers it. @throws RunError, before anything is registered */
export async function registerCloudHost(
  config: StackConfig,
  wanted: CloudHostConfig,
  last: LastRun,
): Promise<RegisteredHost> {
  const stack = pulumi.getStack();
  const owner: Owner = { stack, pillar: config.pillar.name };
  const { provider, token, sshFrom } = wanted;
  const endpoint = config.apiEndpoint;
  const cloud = createCloud[provider]({ token, say: (line) => void info(line), endpoint });
  const orders = openOrderRecords(config, stack);
  const record = await orders.read();
  const plan = await decide(config, wanted, cloud, { owner, orders, record });
  if (plan.kind === "gone") return { shown: { provider } };
  const shown = { provider, ...serverSummary(plan) };
  const args = {
    ...(await createHostArgs(config, last)),
    plan,
    wanted,
    isProtected: config.lifecycle !== "retiring",
    parts: (around?: pulumi.ResourceOptions) => createParts[provider](token, endpoint, plan.found, around),
    server: { provider, token, endpoint },
  };
  if (wanted.importId !== undefined && plan.kind === "keep") {
    await restoreProtection(config, wanted, plan);
    const host = new AdoptedServer("host", { ...args, plan });
    return { host, shown: { ...shown, serverId: host.serverId, address: host.address } };
  }
  const host = new CloudHost("host", {
    ...args,
    cloud,
    owner,
    orders,
    ordered: record.ordered,
    isActive: config.lifecycle === "active",
    publicKey: deriveConfiguredPublicKey(config),
    openings: listOpenings(config, {
      sshFrom,
      hasOrchestrator: await hasOrchestrator(config, stack, last.orchestrator?.side),
    }),
    hostKey: wanted.hostKey,
    stranger: wanted.hostKey === undefined ? await formatStranger(config, cloud, owner, plan) : undefined,
  });
  // Waits for the plugin's actions, because the provider refuses one while another is running on the server.
  if (plan.kind === "keep") host.serverId.apply(() => restoreProtection(config, wanted, plan));
  const { serverId, address, fingerprint } = host;
  return { host, shown: { ...shown, serverId, address, fingerprint } };
}

/** Formats the error for a server that already exists, in case this state has no host key of it. */
async function formatStranger(
  config: StackConfig,
  cloud: Cloud,
  owner: Owner,
  plan: Exclude<ServerDecision, { kind: "gone" }>,
): Promise<string | undefined> {
  if (plan.kind === "make") return undefined;
  const { id, name, address } = plan.server;
  const location = findValidEvents(await readStackEvents(config), owner.stack, "location").at(-1)?.details;
  const recordedKey = location?.serverId === id ? location.hostKey : undefined;
  const server = { provider: cloud.provider, id, name, console: cloud.describeConsole(id) };
  return formatOtherMachine(server, address, recordedKey, commandsFor(owner.stack));
}

async function decide(
  config: StackConfig,
  wanted: CloudHostConfig,
  cloud: Cloud,
  { owner, orders, record }: { readonly owner: Owner; readonly orders: OrderRecords; readonly record: OrderRecord },
): Promise<ServerDecision> {
  const situation = {
    cloud,
    host: wanted,
    lifecycle: config.lifecycle,
    ...owner,
    publicKey: deriveConfiguredPublicKey(config),
    record,
    now: Date.now(),
  };
  const decided = await decideServer(situation).catch((error: unknown): HostRefusal => {
    if (!isCloudError(error)) throw error;
    const isOfToken = [401, 403].includes(error.cloudStatus);
    const set = `  Set it with: ${commandsFor(owner.stack).setSecret("host.token")}`;
    return { faults: [...error.message.split("\n"), ...(isOfToken ? [set] : [])] };
  });
  if ("faults" in decided) {
    if (decided.isExhausted) await orders.write({ attempts: [], shown: record.shown });
    throw new pulumi.RunError(
      `The host of stack ${owner.stack} can't be ordered or used at ${cloud.provider}; nothing was changed:\n` +
        decided.faults.map((line) => `  ${line}`).join("\n"),
    );
  }
  for (const line of decided.lines) info(line);
  for (const line of [...decided.warnings, ...warnOfOpenSsh(wanted.sshFrom)]) warn(line);
  const { plan } = decided;
  // Even a preview stores the first price that it shows, because the maximum price of an order depends on it.
  if (plan.kind === "make" && plan.shown !== record.shown) await orders.write({ ...record, shown: plan.shown });
  return plan;
}

function serverSummary(plan: Exclude<ServerDecision, { kind: "gone" }>) {
  const { plan: name, location } = plan.kind === "make" ? plan.offer : plan.server;
  return { plan: name, location };
}
