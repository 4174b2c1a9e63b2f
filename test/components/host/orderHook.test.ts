import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import { handleOrderError } from "../../../components/host/orderHook";
import type { ServerDecision } from "../../../core/cloud/decideServer";
import { createHetzner } from "../../../core/cloud/hetzner";
import type { OrderRecord } from "../../../core/cloud/orderRecord";

const token = "hunter2";
const cloud = createHetzner({ token, endpoint: "http://127.0.0.1:9" });
const plan = { kind: "make", offer: { plan: "cx33", location: "fsn1" } } as ServerDecision & { kind: "make" };
const pending = { plan: "cx33", location: "fsn1", at: "2026-11-21T14:00:00.000Z" };
const shown = { wish: "hetzner, auto", monthly: 10.7, currency: "EUR" };

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the recorded orders and the warnings after an operation failed with this error. */
async function failed(
  error: string,
  { record = { attempts: [], pending, shown } as OrderRecord, operation = "create" } = {},
) {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  let kept = record;
  const orders = {
    read: async () => kept,
    write: async (next: OrderRecord) => {
      kept = next;
    },
  };
  const hook = handleOrderError({ cloud, stack: "prod", offer: plan.offer, token, orders });
  const args = { urn: "urn", id: "", name: "server", type: "t", failedOperation: operation, errors: [error, "older"] };
  const isRepeated = await hook(args);
  return { isRepeated, record: kept, warnings: warn.mock.calls.map(([text]) => text.split("\n")[0]) };
}

test("keeps the provider's error with the order, without the token, and does not order again", async () => {
  const words = "error during placement for [token] (resource_unavailable, 1d)";
  expect(
    await failed("1 error occurred:\n\t* error during placement for hunter2 (resource_unavailable, 1d)\n"),
  ).toEqual({
    isRepeated: false,
    record: { attempts: [], pending: { ...pending, reason: words }, shown },
    warnings: [`Hetzner has no room for cx33 in fsn1 (${words})`],
  });
});

test("prints the provider's error of an order that was not logged, and does not log it", async () => {
  const { record, warnings } = await failed("context deadline exceeded", { record: { attempts: [], shown } });
  expect(record).toEqual({ attempts: [], shown });
  expect(warnings).toEqual(["the order of cx33 in fsn1 at Hetzner failed (context deadline exceeded)"]);
});

test("does not count a failed deletion as an order", async () => {
  expect(await failed("server is protected", { operation: "delete" })).toEqual({
    isRepeated: false,
    record: { attempts: [], pending, shown },
    warnings: [],
  });
});
