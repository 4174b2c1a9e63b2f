import * as pulumi from "@pulumi/pulumi";
import type { OrderRecords } from "../../core/cloud/attempts";
import type { Cloud, Owner } from "../../core/cloud/cloud";
import { failedOrderText, plainWords } from "../../core/cloud/failedOrder";
import type { HostPlan } from "../../core/cloud/hostPlan";
import type { CloudHostConfig } from "../../core/config/hostSchema";
import { warn } from "../log";

interface Ordering {
  readonly cloud: Cloud;
  readonly owner: Owner;
  readonly plan: HostPlan & { kind: "make" };
  readonly wanted: CloudHostConfig;
  readonly orders: OrderRecords;
}

/**
 * Keeps the provider's words about an order that failed, which the engine tells nobody but its hooks, and says what they
 * mean. Of the run that orders alone: kept longer, a plain destroy would miss it where the server's deletion fails.
 */
export function orderHook(ordering: Ordering): pulumi.ErrorHook {
  return new pulumi.ErrorHook("server-order", onOrderError(ordering));
}

/** What the hook does; never asks for the order to be repeated. */
export function onOrderError({ cloud, owner, plan, wanted, orders }: Ordering): pulumi.ErrorHookFunction {
  return async ({ failedOperation, errors }) => {
    if (failedOperation !== "create" || pulumi.runtime.isDryRun()) return false;
    const words = plainWords(errors[0] ?? "", wanted.token);
    const record = await orders.read();
    if (record.pending) await orders.write({ ...record, pending: { ...record.pending, reason: words } });
    await warn(failedOrderText(owner.stack, cloud, plan.offer, words));
    return false;
  };
}
