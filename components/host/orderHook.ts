import * as pulumi from "@pulumi/pulumi";
import type { Cloud } from "../../core/cloud/cloud";
import type { ServerDecision } from "../../core/cloud/decideServer";
import type { OrderRecords } from "../../core/cloud/orderRecord";
import { formatFailedOrder, stripProviderError } from "../../core/cloud/orderText";
import { warn } from "../log";

type Ordering = Pick<ServerDecision & { kind: "make" }, "offer"> & {
  readonly cloud: Cloud;
  readonly stack: string;
  readonly token: string;
  readonly orders: OrderRecords;
};

/**
 * Returns a hook that stores and explains the provider's error about a failed order, and never retries. Only a run that
 * orders registers it, because a destroy runs no program and would miss the hook if a deletion fails.
 */
export function createOrderHook(ordering: Ordering): pulumi.ErrorHook {
  return new pulumi.ErrorHook("server-order", handleOrderError(ordering));
}

export function handleOrderError({ cloud, stack, offer, token, orders }: Ordering): pulumi.ErrorHookFunction {
  return async ({ failedOperation, errors }) => {
    if (failedOperation !== "create" || pulumi.runtime.isDryRun()) return false;
    const words = stripProviderError(errors[0] ?? "", token);
    const record = await orders.read();
    if (record.pending) await orders.write({ ...record, pending: { ...record.pending, reason: words } });
    await warn(formatFailedOrder(stack, cloud, offer, words));
    return false;
  };
}
