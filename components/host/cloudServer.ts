import * as pulumi from "@pulumi/pulumi";
import {
  describeServer,
  findOrder,
  formatResourceName,
  type SentOrder,
  type ServerNow,
} from "../../core/cloud/cloud.ts";
import { createOrderRecord, type MakeDecision } from "../../core/cloud/decideServer.ts";
import type { Opening } from "../../core/cloud/firewall.ts";
import { renderUserData } from "../../core/cloud/userData.ts";
import { deriveConfiguredPublicKey } from "../../core/ssh/configuredLogin.ts";
import { beginAnew, formatConsoleHelp } from "../../core/ssh/ownServer.ts";
import { stripComment } from "../../core/ssh/publicKey.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { formatProblem, ProblemError } from "../../core/util/problem.ts";
import type { HostKey } from "../../providers/hostKey.ts";
import { ServerOrder } from "../../providers/serverOrder.ts";
import { createPlainError, warn } from "../log.ts";
import type { CloudParts, CloudRun, CloudServerResource } from "./cloudParts.ts";

/** Registers the stack's server, its order, ssh key and firewall. `key`: undefined if a host key is configured. */
export function registerServer(
  { run, openings, seen }: { readonly run: CloudRun; openings: readonly Opening[]; seen: string | undefined },
  parts: CloudParts,
  key: HostKey | undefined,
  parent: pulumi.Resource,
) {
  const { config, plan } = run;
  const { found } = plan;
  const publicKey = deriveConfiguredPublicKey(config);
  // Imports resources with this stack's labels that the state does not know, so that nothing is created twice.
  const importing = (id: string | undefined) => ({ parent, import: id });
  const hasForeignKey = found.sshKey === undefined && found.foreignKey !== undefined;
  const sshKey = publicKey && !hasForeignKey ? parts.sshKey(publicKey, importing(found.sshKey)) : undefined;
  const firewall = parts.firewall(openings, importing(found.firewall));
  const keyId = sshKey?.id ?? found.foreignKey;
  const sshKeys = keyId ? [keyId] : [];
  const order = new ServerOrder(
    "server-order",
    {
      orders: key?.orders ?? [],
      isOrder: plan.kind === "make",
      seen,
      owner: { stack: config.stack, pillar: { name: config.pillar.name } },
    },
    { parent, dependsOn: [firewall, ...(sshKey ? [sshKey] : [])] },
  );
  const userData =
    key &&
    pulumi
      .output({ privateKey: key.privateKey, publicKey: key.publicKey, orders: key.orders, sshKeys, made: firewall.id })
      .apply(async ({ privateKey, publicKey: hostKey, orders: sent, sshKeys: [sshKeyId] }) => {
        if (plan.kind === "make" && !pulumi.runtime.isDryRun())
          await beforeOrder({ ...run, plan }, sent, sshKeyId).catch(throwPlainly);
        return renderUserData({ privateKey, publicKey: hostKey });
      });
  const { image, backups, startTimeout } = config.host;
  const args = {
    name: formatResourceName(config),
    image,
    sshKeys,
    firewall: firewall.id,
    backups,
    userData: userData && pulumi.secret(userData),
  };
  const options = {
    parent,
    dependsOn: [order],
    protect: config.lifecycle !== "retiring",
    customTimeouts: { create: `${startTimeout / 1000}s` },
    ignoreChanges: parts.fixedInputs,
  };
  if (plan.kind === "keep") {
    const { id, plan: size, location, image: own = image } = plan.server;
    const ignoreChanges = plan.isHalfMade ? ["*"] : parts.fixedInputs;
    const kept = { ...args, plan: size, location, image: own };
    return { server: parts.server("server", kept, { ...options, import: id, ignoreChanges }), order };
  }
  // Only a run that orders registers the hook: a destroy runs no program and would miss it if a deletion fails.
  const hooks = { onError: [new pulumi.ErrorHook("server-order", handleOrderError({ ...run, plan }))] };
  // The engine keeps the rest of a failed creation, and deletes it only if it is not protected.
  const replacing = { protect: false, replaceOnChanges: ["#initerror"], deleteBeforeReplace: true, ignoreChanges: [] };
  const { plan: size, location } = plan.offer;
  const number = key?.orders.apply((sent) => sent.at(-1)?.number ?? "");
  const ordered = { ...args, plan: size, location, order: number };
  return { server: parts.server("server", ordered, { ...options, hooks, ...(plan.leftover && replacing) }), order };
}

/**
 * Frees the server's name, then records the order, so that the next run knows about it if this one is killed. Does not
 * delete the rest of a failed creation: the engine deletes what its state has (Hetzner's plugin would fail if it were
 * gone), and checkMade deletes anything else.
 */
async function beforeOrder(
  run: CloudRun<MakeDecision>,
  sent: readonly SentOrder[],
  sshKeyId: string | undefined,
): Promise<void> {
  const { cloud, orders, plan, record } = run;
  if (sshKeyId !== undefined) await assertConfiguredKey(run, sshKeyId);
  await assertFirewall(run);
  if (plan.leftover) await cloud.makeRoom?.(plan.leftover.id);
  await orders.write(createOrderRecord(plan, new Date(), [...(record.sent ?? []), ...sent.slice(-1)]));
}

/** Asserts that the provider's key object, which a new server lets in, holds the configured key. */
async function assertConfiguredKey({ cloud, config }: CloudRun, sshKeyId: string): Promise<void> {
  const wanted = deriveConfiguredPublicKey(config) ?? "";
  const found = await cloud.readPublicKey(sshKeyId);
  if (found !== undefined && stripComment(found) === stripComment(wanted)) return;
  throw new ProblemError({
    what: `the ssh key ${sshKeyId} at ${cloud.provider}, which the server would let in, is not the configured one: no server is ordered or used`,
    found: found ?? "no such key",
    needed: `${stripComment(wanted)} (pillar-host:ssh)`,
    next: `Delete that key in the provider's console, then: ${commandsFor(config.stack).refresh} && ${commandsFor(config.stack).up}`,
  });
}

/** Asserts that the firewall exists: the state may name one that was deleted in the console, or by another machine. */
async function assertFirewall({ cloud, config }: CloudRun): Promise<void> {
  const { firewall } = await cloud.readInventory(config);
  if (firewall !== undefined) return;
  const { refresh, up } = commandsFor(config.stack);
  throw new ProblemError({
    what: `the firewall of stack ${config.stack} is no longer at ${cloud.provider}: without it all ports of a server are open`,
    next: `Make it again: ${refresh} && ${up}`,
  });
}

const throwPlainly = (error: Error): never => {
  throw createPlainError(error.message);
};

/** Returns the server's address, once the server exists, is the only one and has an address. */
export function checkAddress(run: CloudRun, { id, ipv4Address }: CloudServerResource, order: ServerOrder) {
  return pulumi
    .all([id, ipv4Address, order.isOrdered])
    .apply(([serverId, recorded, isOrdered]) => findAddress(run, serverId, recorded, isOrdered).catch(throwPlainly));
}

async function findAddress(run: CloudRun, serverId: string, recorded: string, isOrdered: boolean): Promise<string> {
  const { plan, orders } = run;
  const address = recorded || (plan.kind === "keep" && plan.server.address) || "";
  if (plan.kind === "make") await checkMade({ ...run, plan }, serverId);
  if (pulumi.runtime.isDryRun()) return address;
  // A server that works keeps working: the operator decides when to make the firewall again.
  if (plan.kind === "keep" && plan.found.firewall === undefined)
    await assertFirewall(run).catch(({ message }: Error) => warn(message));
  if (address === "") throw new Error(formatNoAddress(run, serverId, isOrdered));
  const { sent } = await orders.read();
  await orders.write({ attempts: [], sent: isOrdered ? sent : undefined });
  return address;
}

function formatNoAddress(run: CloudRun, serverId: string, isOrdered: boolean): string {
  const { cloud, config } = run;
  const commands = commandsFor(config.stack);
  return formatProblem({
    what: `server ${serverId} at ${cloud.provider} has no address yet: it is still being created`,
    next: [
      formatConsoleHelp({ console: cloud.describeConsole(serverId) }),
      `In some minutes: ${commands.up}`,
      isOrdered && beginAnew(commands),
    ],
  });
}

/**
 * Checks that a new server exists and is the only one, and removes the rest of a failed creation. Any other server is
 * named and never touched: it may be a live Pillar that another machine ordered, whatever its labels.
 */
async function checkMade(run: CloudRun<MakeDecision>, serverId: string): Promise<void> {
  const { cloud, config, orders, plan } = run;
  const { servers } = await cloud.readInventory(config);
  const record = await orders.read();
  if (servers.every(({ id }) => id !== serverId)) {
    const { refresh, up } = commandsFor(config.stack);
    // No order was sent, because the engine believed that the missing server exists: remove the order from the record.
    if (!pulumi.runtime.isDryRun())
      await orders.write({ attempts: plan.attempts, shown: plan.shown, sent: run.record.sent });
    throw new ProblemError({
      what: `server ${serverId}, this stack's host, is no longer at ${cloud.provider}, or lost its labels there`,
      next: `If the server is gone, create another one with: ${refresh} && ${up}`,
    });
  }
  if (pulumi.runtime.isDryRun()) return;
  const isRest = (each: ServerNow) => each.failure !== undefined && findOrder(record.sent, each.order) !== undefined;
  const others = servers.filter(({ id }) => id !== serverId);
  for (const { id } of others.filter(isRest)) {
    warn(`server ${id} at ${cloud.provider}, whose creation failed in an order of this stack, is removed`);
    await cloud.remove(id);
  }
  const left = others.filter((each) => !isRest(each));
  if (left.length === 0) return;
  throw new ProblemError({
    what: `server ${serverId} was ordered at ${cloud.provider}, and another server has this stack's labels: nothing is deployed yet`,
    found: left.map((each) => describeServer(each, record.sent)),
    needed: `delete it in the provider's console if it is of this stack's order (the provider repeated the order); if not, find out whose it is: it may be a live Pillar`,
    next: `Then: ${commandsFor(config.stack).up}`,
  });
}

/** Returns the handler that stores and explains the provider's error about a failed order, and never retries. */
export function handleOrderError(run: CloudRun<MakeDecision>): pulumi.ErrorHookFunction {
  const { config, orders } = run;
  return async ({ failedOperation, errors }) => {
    if (failedOperation !== "create" || pulumi.runtime.isDryRun()) return false;
    const reason = stripProviderError(errors[0] ?? "", config.host.token);
    const record = await orders.read();
    if (record.pending) await orders.write({ ...record, pending: { ...record.pending, reason } });
    await warn(formatFailedOrder(run, reason));
    return false;
  };
}

/** Reduces a plugin's error to the provider's words, on one line and without the token. */
export function stripProviderError(error: string, token: string): string {
  return error
    .replaceAll(token, "[token]")
    .replace(/^.*rpc error: code = \w+ desc = /s, "")
    .replace(/\S+\.go:\d+: sdk\.\w+: |: provider=\S+@[\d.]+\b/g, "")
    .replace(/\d+ errors? occurred:|\bcreating urn:\S+:\s/g, "")
    .replace(/(^|\s)\* /g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 400);
}

/** Formats a failed order and the next step: only if the provider has no room does the next order try elsewhere. */
function formatFailedOrder({ cloud, config, plan: { offer } }: CloudRun<MakeDecision>, reason: string): string {
  const order = `${offer.plan} in ${offer.location}`;
  const { up, set } = commandsFor(config.stack);
  if (/deadline exceeded|timeout while waiting/.test(reason))
    return `${cloud.provider} did not finish ${order} in time (${reason})\n  In some minutes: ${up}\n  It goes on with the server that was made; if there is none, it orders ${order} again\n  To wait longer: ${set("host.startTimeout", "30m")}`;
  if (cloud.isNoRoom(reason))
    return `${cloud.provider} has no room for ${order} (${reason})\n  ${up} tries the next server: the preview names it`;
  const limitPage = cloud.findLimitPage(reason);
  if (limitPage !== undefined)
    return `the account's limit at ${cloud.provider} is reached: no server was ordered (${reason})\n  Delete what you no longer need there, or ask for a higher limit: ${limitPage}\n  Then: ${up}. It orders ${order} again`;
  return `the order of ${order} at ${cloud.provider} failed (${reason})\n  Once its cause is gone: ${up}. It orders ${order} again, and no other type. If the failed order left a server, the run uses or removes it`;
}
