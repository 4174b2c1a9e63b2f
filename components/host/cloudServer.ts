import * as pulumi from "@pulumi/pulumi";
import { formatResourceName } from "../../core/cloud/cloud";
import { createOrderRecord, type MakeDecision } from "../../core/cloud/decideServer";
import type { Opening } from "../../core/cloud/firewall";
import { renderUserData } from "../../core/cloud/userData";
import { deriveConfiguredPublicKey } from "../../core/ssh/configuredLogin";
import { beginAnew, formatConsoleHelp } from "../../core/ssh/ownServer";
import { commandsFor } from "../../core/util/commands";
import { createProblemError, formatProblem } from "../../core/util/problem";
import type { HostKey } from "../../providers/hostKey";
import { createPlainError, warn } from "../log";
import type { CloudParts, CloudRun, CloudServerResource } from "./cloudParts";

/** Registers the stack's server, its ssh key and its firewall. `key`: undefined if a host key is configured. */
export function registerServer(
  { run, openings }: { readonly run: CloudRun; readonly openings: readonly Opening[] },
  parts: CloudParts,
  key: HostKey | undefined,
  parent: pulumi.Resource,
): CloudServerResource {
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
  const userData =
    key &&
    pulumi.all([key.privateKey, key.publicKey, firewall.id, ...sshKeys]).apply(async ([privateKey, hostKey]) => {
      if (plan.kind === "make" && !pulumi.runtime.isDryRun()) await beforeOrder({ ...run, plan }).catch(throwPlainly);
      return renderUserData({ privateKey: privateKey ?? "", publicKey: hostKey ?? "" });
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
    protect: config.lifecycle !== "retiring",
    customTimeouts: { create: `${startTimeout / 1000}s` },
    ignoreChanges: parts.fixedInputs,
  };
  if (plan.kind === "keep") {
    const { id, plan: size, location, image: own = image } = plan.server;
    const ignoreChanges = plan.isHalfMade ? ["*"] : parts.fixedInputs;
    const kept = { ...args, plan: size, location, image: own };
    return parts.server("server", kept, { ...options, import: id, ignoreChanges });
  }
  // Only a run that orders registers the hook: a destroy runs no program and would miss it if a deletion fails.
  const hooks = { onError: [new pulumi.ErrorHook("server-order", handleOrderError({ ...run, plan }))] };
  // The engine keeps the rest of a failed creation, and deletes it only if it is not protected.
  const replacing = { protect: false, replaceOnChanges: ["#initerror"], deleteBeforeReplace: true, ignoreChanges: [] };
  const { plan: size, location } = plan.offer;
  const ordered = { ...args, plan: size, location };
  return parts.server("server", ordered, { ...options, hooks, ...(plan.leftover && replacing) });
}

/**
 * Frees the server's name, then records the order, so that the next run knows about it if this one is killed. Does not
 * delete the rest of a failed creation: the engine deletes what its state has (Hetzner's plugin would fail if it were
 * gone), and checkMade deletes anything else.
 */
async function beforeOrder({ cloud, orders, plan }: CloudRun<MakeDecision>): Promise<void> {
  if (plan.leftover) await cloud.makeRoom(plan.leftover.id);
  await orders.write(createOrderRecord(plan, new Date()));
}

const throwPlainly = (error: Error): never => {
  throw createPlainError(error.message);
};

/** Returns the server's address, once the server exists, is the only one and has an address. */
export function checkAddress(run: CloudRun, { id, ipv4Address }: CloudServerResource): pulumi.Output<string> {
  return pulumi
    .all([id, ipv4Address])
    .apply(([serverId, recorded]) => findAddress(run, serverId, recorded).catch(throwPlainly));
}

async function findAddress(run: CloudRun, serverId: string, recorded: string): Promise<string> {
  const { plan, orders } = run;
  const address = recorded || (plan.kind === "keep" && plan.server.address) || "";
  if (plan.kind === "make") await checkMade({ ...run, plan }, serverId);
  if (pulumi.runtime.isDryRun()) return address;
  if (address === "") throw new Error(formatNoAddress(run, serverId));
  await orders.write({ attempts: [], ordered: isOrderedHere(run) ? serverId : undefined });
  return address;
}

/**
 * True if this run orders the server or resumes an interrupted order. Also if an earlier run ordered it and nobody has
 * logged in yet: the record of orders says so, even if an interrupted destroy deleted the state's memory of the order but not the server.
 */
export function isOrderedHere({ record, plan }: CloudRun): boolean {
  return plan.kind === "make" || plan.isHalfMade || record.ordered === plan.server.id;
}

function formatNoAddress(run: CloudRun, serverId: string): string {
  const { cloud, config } = run;
  const commands = commandsFor(config.stack);
  return formatProblem({
    what: `server ${serverId} at ${cloud.provider} has no address yet: it is still being created`,
    next: [
      formatConsoleHelp({ console: cloud.describeConsole(serverId) }),
      `In some minutes: ${commands.up}`,
      isOrderedHere(run) && beginAnew(commands),
    ],
  });
}

/** Checks that a new server exists, and removes the servers that a failed or repeated order left. */
async function checkMade(
  { cloud, config, orders, plan: { attempts, shown } }: CloudRun<MakeDecision>,
  serverId: string,
): Promise<void> {
  const { servers } = await cloud.readInventory(config);
  if (servers.every(({ id }) => id !== serverId)) {
    const { refresh, up } = commandsFor(config.stack);
    // No order was sent, because the engine believed that the missing server exists: remove the order from the record.
    if (!pulumi.runtime.isDryRun()) await orders.write({ attempts, shown });
    throw createProblemError({
      what: `server ${serverId}, this stack's host, is no longer at ${cloud.provider}, or lost its labels there`,
      next: `If the server is gone, create another one with: ${refresh} && ${up}`,
    });
  }
  if (pulumi.runtime.isDryRun()) return;
  // The other servers with this stack's labels come from its orders, because there was none before: a failed order left
  // them, or the plugin repeated an order after losing the answer.
  for (const { id } of servers.filter((server) => server.id !== serverId)) {
    warn(`server ${id} at ${cloud.provider}, left by an order of this stack, is removed; server ${serverId} is kept`);
    await cloud.remove(id);
  }
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
    .replace(/\d+ errors? occurred:|\bcreating urn:\S+:\s/g, "")
    .replace(/(^|\s)\* /g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 400);
}

/** Formats a failed order and the next step: only if the provider has no room does the next order try elsewhere. */
function formatFailedOrder({ cloud, config, plan: { offer } }: CloudRun<MakeDecision>, reason: string): string {
  const order = `${offer.plan} in ${offer.location}`;
  const { up } = commandsFor(config.stack);
  if (cloud.isNoRoom(reason))
    return `${cloud.provider} has no room for ${order} (${reason})\n  ${up} tries the next server: the preview names it`;
  return `the order of ${order} at ${cloud.provider} failed (${reason})\n  Once its cause is gone: ${up}. It orders ${order} again, and no other type. If the failed order left a server, the run uses or removes it`;
}
