import * as pulumi from "@pulumi/pulumi";
import { type Cloud, formatResourceName, type Owner } from "../../core/cloud/cloud";
import { createOrderRecord, type ServerDecision } from "../../core/cloud/decideServer";
import type { Opening } from "../../core/cloud/firewall";
import type { OrderRecords } from "../../core/cloud/orderRecord";
import { renderUserData } from "../../core/cloud/userData";
import { beginAnew, formatConsoleHelp } from "../../core/ssh/ownServer";
import { commandsFor } from "../../core/util/commands";
import { formatProblem } from "../../core/util/problem";
import type { HostKey } from "../../providers/hostKey";
import { warn } from "../log";
import { createPlainError } from "../plainErrors";
import type { CloudParts, CloudServerArgs, RegisteredServer } from "./cloudParts";
import { createOrderHook } from "./orderHook";

export interface ServerRegistration extends Omit<CloudServerArgs, "parts"> {
  readonly parent: pulumi.Resource;
  readonly cloud: Cloud;
  readonly owner: Owner;
  readonly orders: OrderRecords;
  /** The id of the ordered server in the record of orders, as read at the start of this run. */
  readonly ordered: string | undefined;
  readonly parts: CloudParts;
  /** The public half of the login's key. Absent if the login uses no key. */
  readonly publicKey?: string | undefined;
  readonly openings: readonly Opening[];
  /** The generated host key; undefined if a host key is configured. */
  readonly key: HostKey | undefined;
}

/** Registers the stack's server, its ssh key and its firewall. */
export function registerServer(making: ServerRegistration): RegisteredServer {
  const { parent, wanted, cloud, owner, orders, plan, parts, isProtected: protect, publicKey, openings, key } = making;
  const label = formatResourceName(owner);
  const { found } = plan;
  const child = { parent };
  // Imports resources with this stack's labels that the state does not know, so that nothing is created twice.
  const importing = (id: string | undefined) => ({ ...child, import: id });
  const sshKey =
    publicKey && (found.sshKey !== undefined || found.foreignKey === undefined)
      ? parts.sshKey("ssh-key", { label, owner, publicKey }, importing(found.sshKey))
      : undefined;
  const firewall = parts.firewall("firewall", { label, owner, openings }, importing(found.firewall));
  const keyId = sshKey?.id ?? found.foreignKey;
  const sshKeys = keyId ? [keyId] : [];
  const text =
    key &&
    pulumi.all([key.privateKey, key.publicKey, firewall.id, ...sshKeys]).apply(async ([privateKey, hostKey]) => {
      if (plan.kind === "make" && !pulumi.runtime.isDryRun()) await beforeOrder(cloud, orders, plan);
      return renderUserData({ privateKey: privateKey ?? "", publicKey: hostKey ?? "" });
    });
  const args = {
    label,
    owner,
    sshKeys,
    firewall: firewall.id,
    backups: wanted.backups,
    userData: text ? pulumi.secret(text) : undefined,
  };
  const options = { ...child, customTimeouts: { create: `${wanted.startTimeout / 1000}s` } };
  if (plan.kind === "keep")
    return parts.server(
      "server",
      { ...args, plan: plan.server.plan, location: plan.server.location, image: plan.server.image ?? wanted.image },
      { ...options, protect, import: plan.server.id, kept: plan.isHalfMade ? "asItIs" : "whole" },
    );
  const hooks = {
    onError: [createOrderHook({ cloud, stack: owner.stack, orders, offer: plan.offer, token: wanted.token })],
  };
  return parts.server(
    "server",
    { ...args, plan: plan.offer.plan, location: plan.offer.location, image: wanted.image },
    plan.leftover
      ? // The engine keeps the rest of a failed creation, and deletes it only if it is not protected.
        {
          ...options,
          hooks,
          protect: false,
          replaceOnChanges: ["#initerror"],
          deleteBeforeReplace: true,
          kept: "nothing",
        }
      : { ...options, hooks, protect, kept: "whole" },
  );
}

/**
 * Frees the server's name, then records the order, so that the next run knows about it if this one is killed. Does not
 * delete the rest of a failed creation: the engine deletes what its state has (Hetzner's plugin would fail if it were
 * gone), and checkMade deletes anything else.
 */
async function beforeOrder(cloud: Cloud, orders: OrderRecords, plan: ServerDecision & { kind: "make" }): Promise<void> {
  try {
    if (plan.leftover) await cloud.makeRoom(plan.leftover.id);
    await orders.write(createOrderRecord(plan, new Date()));
  } catch (error) {
    throw createPlainError((error as Error).message);
  }
}

/** Returns the server's address, once the server exists, is the only one and has an address. */
export function checkAddress(
  { cloud, owner, orders, ordered, plan }: ServerRegistration,
  { id, address }: RegisteredServer,
): pulumi.Output<string> {
  return pulumi.all([id, address]).apply(async ([serverId, recorded]) => {
    const at = recorded || (plan.kind === "keep" && plan.server.address) || "";
    try {
      if (plan.kind === "make") await checkMade({ cloud, owner, orders }, plan, serverId);
      if (pulumi.runtime.isDryRun()) return at;
      const isOrdered = isOrderedHere({ ordered, plan });
      if (at === "") throw new Error(noAddressText(cloud, owner.stack, serverId, isOrdered));
      await orders.write({ attempts: [], ordered: isOrdered ? serverId : undefined });
    } catch (error) {
      throw createPlainError((error as Error).message);
    }
    return at;
  });
}

/**
 * True if this run orders the server or resumes an interrupted order. Also if an earlier run ordered it and nobody has
 * logged in yet: the record of orders says so, even if an interrupted destroy deleted the login key but not the server.
 */
export function isOrderedHere({ ordered, plan }: Pick<ServerRegistration, "ordered" | "plan">): boolean {
  return plan.kind === "make" || plan.isHalfMade || ordered === plan.server.id;
}

function noAddressText(cloud: Cloud, stack: string, serverId: string, isOrdered: boolean): string {
  const run = commandsFor(stack);
  return formatProblem({
    what: `server ${serverId} at ${cloud.provider} has no address yet: it is still being created`,
    next: [
      formatConsoleHelp({ console: cloud.describeConsole(serverId) }),
      `In some minutes: ${run.up}`,
      isOrdered && beginAnew(run),
    ],
  });
}

/** Checks that a new server exists, and removes the servers that a failed or repeated order left. */
async function checkMade(
  { cloud, owner, orders }: Pick<ServerRegistration, "cloud" | "owner" | "orders">,
  { attempts, shown }: ServerDecision & { kind: "make" },
  serverId: string,
): Promise<void> {
  const { servers } = await cloud.readInventory(owner, undefined);
  if (servers.every(({ id }) => id !== serverId)) {
    const run = commandsFor(owner.stack);
    // No order was sent, because the engine believed that the missing server exists: remove the order from the record.
    if (!pulumi.runtime.isDryRun()) await orders.write({ attempts, shown });
    throw new Error(
      formatProblem({
        what: `server ${serverId}, this stack's host, is no longer at ${cloud.provider}, or lost its labels there`,
        next: `If the server is gone, create another one with: ${run.refresh} && ${run.up}`,
      }),
    );
  }
  if (pulumi.runtime.isDryRun()) return;
  // The other servers with this stack's labels come from its orders, because there was none before: a failed order left
  // them, or the plugin repeated an order after losing the answer.
  for (const { id } of servers.filter((server) => server.id !== serverId)) {
    warn(`server ${id} at ${cloud.provider}, left by an order of this stack, is removed; server ${serverId} is kept`);
    await cloud.remove(id);
  }
}
