import { type Cloud, describeServer, findOrder, type Owner, type SentOrder } from "../core/cloud/cloud.ts";
import { openCloud } from "../core/cloud/clouds.ts";
import { type Clock, systemClock } from "../core/util/clock.ts";
import { commandsFor } from "../core/util/commands.ts";
import { ProblemError } from "../core/util/problem.ts";
import { defineResource, hasChanges } from "./runtime/dynamicResource.ts";
import { readStackConfig } from "./runtime/stackConfig.ts";

/**
 * Stands between the order and what the order used. The server depends on it, and it depends on key, firewall and tag,
 * so a destroy deletes it in between. create and update remember whether and when this stack ordered the server: an
 * adopted one may belong to anybody. delete refuses while a server with the stack's labels is left, such as one of an
 * order whose answer never came: without its firewall it would be open to everybody, and nobody would know of it.
 */
export class ServerOrder extends defineResource<ServerOrderInputs, ServerOrderOutputs>({
  type: "ServerOrder",
  create: async (inputs) => createOutputs(inputs),
  update: async (_olds, news) => createOutputs(news),
  delete: (olds) => assertNoneLeft(olds, openConfiguredCloud(olds.owner.stack), systemClock),
  changes: (olds, news) =>
    hasChanges(olds, news, "isOrder", "seen") || createOutputs(news).orderedAt !== olds.orderedAt,
  outputs: { isOrdered: "plain", orderedAt: "plain" },
}) {}

interface ServerOrderInputs {
  /** All orders of this state (providers/hostKey.ts); none if a host key is configured. */
  readonly orders: readonly SentOrder[];
  /** True if this run orders. */
  readonly isOrder: boolean;
  /** The number that the existing server carries. */
  readonly seen?: string | undefined;
  readonly owner: Owner;
}

interface ServerOrderOutputs {
  /** True if this stack ordered the server, as its number proves. */
  readonly isOrdered: boolean;
  /** ISO 8601; undefined if this stack did not order the server. */
  readonly orderedAt: string | undefined;
}

function createOutputs({ orders, isOrder, seen }: ServerOrderInputs): ServerOrderOutputs {
  const order = isOrder ? orders.at(-1) : findOrder(orders, seen);
  return { isOrdered: order !== undefined, orderedAt: order?.at };
}

function openConfiguredCloud(stack: string): Cloud {
  const { host, apiEndpoint } = readStackConfig(stack);
  if (host.provider !== "existing") return openCloud({ host, apiEndpoint });
  const { up, destroy } = commandsFor(stack);
  throw new ProblemError({
    what: "pillar-host:host.provider: this stack has a server at a cloud provider; nothing was changed",
    found: host.provider,
    needed: "set it back",
    next: `${up} && ${destroy}`,
  });
}

/** A deleted server may stay in the provider's list for a while. */
const maxPolls = 15;
const pollIntervalMs = 2000;

/** @throws Error for the operator with each server that carries the stack's labels */
export async function assertNoneLeft(
  { orders, owner }: Pick<ServerOrderInputs, "orders" | "owner">,
  client: Cloud,
  { sleep }: Pick<Clock, "sleep">,
) {
  let { servers } = await client.readInventory(owner);
  for (let left = maxPolls; left > 0 && servers.length > 0; left -= 1) {
    await sleep(pollIntervalMs);
    ({ servers } = await client.readInventory(owner));
  }
  if (servers.length === 0) return client.forgetOrders?.();
  const { refresh, up, destroy, removeStack } = commandsFor(owner.stack);
  throw new ProblemError({
    what: `a server with the labels of stack ${owner.stack} is at ${client.provider}, and this state does not have it: key and firewall stay`,
    found: servers.map((each) => describeServer(each, orders)),
    needed:
      "take a server of this stack's order over, so that it can be retired; never delete one of another order: it may be a live Pillar",
    next: [
      `To take it over: ${refresh} --clear-pending-creates && ${up} && ${destroy}`,
      `If another machine has the stack of that server, forget it here: ${removeStack} --force`,
    ],
  });
}
