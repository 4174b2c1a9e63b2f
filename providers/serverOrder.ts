import { describeServer, type Owner } from "../core/cloud/cloud";
import { createCloud } from "../core/cloud/clouds";
import type { CloudAccess } from "../core/cloud/http";
import { type Clock, systemClock } from "../core/util/clock";
import { commandsFor } from "../core/util/commands";
import { createProblemError } from "../core/util/problem";
import { defineResource, hasChanges } from "./runtime/dynamicResource";

/**
 * Stands between the order and what the order used. The server depends on it, and it depends on key, firewall and tag,
 * so a destroy deletes it in between. create and update remember whether this stack ordered the server: an adopted one
 * may belong to anybody. delete refuses while a server with the stack's labels is left, such as one of an order whose
 * answer never came: without its firewall it would be open to everybody, and nobody would know of it.
 */
export class ServerOrder extends defineResource<ServerOrderInputs, ServerOrderOutputs>({
  type: "ServerOrder",
  id: () => "server-order",
  create: async (inputs) => ({ isOrdered: isOrdered(inputs) }),
  update: async (_olds, news) => ({ isOrdered: isOrdered(news) }),
  delete: (olds) => assertNoneLeft(olds, systemClock),
  changes: (olds, news) => hasChanges(olds, news, "isOrder", "seen") || isOrdered(news) !== olds.isOrdered,
  secretInputs: ["cloud"],
  outputs: { isOrdered: "plain" },
}) {}

interface ServerOrderInputs {
  /** The number of this state's order (providers/hostKey.ts); empty if a host key is configured. */
  readonly number: string;
  /** True if this run orders, or the record of orders has the number that the server carries. */
  readonly isOrder: boolean;
  /** The number that the existing server carries. */
  readonly seen?: string | undefined;
  readonly owner: Owner;
  /** Secret: holds the token. */
  readonly cloud: CloudAccess & { readonly provider: keyof typeof createCloud };
}

interface ServerOrderOutputs {
  readonly isOrdered: boolean;
}

/** True if this stack ordered the server, as its number proves. */
export function isOrdered({ number, isOrder, seen }: Pick<ServerOrderInputs, "number" | "isOrder" | "seen">): boolean {
  return number !== "" && (isOrder || seen === number);
}

/** A deleted server may stay in the provider's list for a while. */
const maxPolls = 15;
const pollIntervalMs = 2000;

/** @throws Error for the operator with each server that carries the stack's labels */
export async function assertNoneLeft({ number, owner, cloud }: ServerOrderInputs, { sleep }: Pick<Clock, "sleep">) {
  const { provider, ...access } = cloud;
  const client = createCloud[provider](access);
  let { servers } = await client.readInventory(owner);
  for (let left = maxPolls; left > 0 && servers.length > 0; left -= 1) {
    await sleep(pollIntervalMs);
    ({ servers } = await client.readInventory(owner));
  }
  if (servers.length === 0) return client.forgetOrders();
  const { refresh, up, destroy, removeStack } = commandsFor(owner.stack);
  throw createProblemError({
    what: `a server with the labels of stack ${owner.stack} is at ${client.provider}, and this state does not have it: key and firewall stay`,
    found: servers.map((each) => describeServer(each, each.order === number ? "of this state's order" : undefined)),
    needed:
      "take the server of this state's order over, so that it can be retired; never delete one of another order: it may be a live Pillar",
    next: [
      `To take it over: ${refresh} --clear-pending-creates && ${up} && ${destroy}`,
      `If another machine has the stack of that server, forget it here: ${removeStack} --force`,
    ],
  });
}
