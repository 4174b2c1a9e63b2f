import { defineResource, hasChanges } from "./runtime/dynamicResource";

/** Remembers whether this state ordered the server. An adopted server may belong to anybody. delete does nothing. */
export class ServerOrder extends defineResource<ServerOrderInputs, ServerOrderOutputs>({
  type: "ServerOrder",
  id: () => "server-order",
  create: async ({ isOrder }) => ({ isOrdered: isOrder }),
  update: async (olds, news) => ({ isOrdered: isOrderedByState(olds, news) }),
  // The end of an order is no change.
  changes: (olds, news) => hasChanges(olds, news, "isOrder"),
  secretInputs: [],
  outputs: { isOrdered: "plain" },
}) {}

interface ServerOrderInputs {
  readonly serverId: string;
  /** True if this run orders the server, or resumes an order that was interrupted. */
  readonly isOrder: boolean;
}

interface ServerOrderOutputs {
  readonly isOrdered: boolean;
}

/** True if this state ordered the server: the answer of an earlier run about the same server stays. */
export function isOrderedByState(
  olds: Partial<ServerOrderInputs & ServerOrderOutputs>,
  news: ServerOrderInputs,
): boolean {
  return olds.serverId === news.serverId ? olds.isOrdered === true : news.isOrder;
}
