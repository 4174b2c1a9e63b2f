import { expect, test } from "vitest";
import { formatOrderRecord, type OrderRecord, parseOrderRecord, settleOrder } from "../../../core/cloud/orderRecord";

const order = { plan: "cx33", location: "fsn1", at: "2026-11-21T14:00:00.000Z" };
const attempt = { ...order, location: "nbg1", reason: "resource_unavailable" };
const now = Date.parse("2026-11-21T15:00:00Z");

test.each<OrderRecord>([
  { attempts: [attempt], pending: order },
  { attempts: [], ordered: "52" },
  { attempts: [], shown: { wish: "hetzner, auto", monthly: 10.7, currency: "EUR" } },
])("reads a record as it was written (%j)", (record) => {
  expect(parseOrderRecord(formatOrderRecord(record))).toEqual(record);
});

test("writes no text for an empty record, and reads no text as an empty record", () => {
  expect(formatOrderRecord({ attempts: [] })).toBeUndefined();
  expect(parseOrderRecord(undefined)).toEqual({ attempts: [] });
});

test.each(["", "{", '{"attempts":[{}]}', "[]"])("treats an unreadable record (%j) as empty", (text) => {
  expect(parseOrderRecord(text)).toEqual({ attempts: [] });
});

const isNoRoom = (words: string) => words.includes("no room");

test("counts an order without room as an attempt, whoever reported it", () => {
  const tried = { attempts: [attempt, { ...order, reason: "no room" }] };
  expect(settleOrder({ attempts: [attempt], pending: { ...order, reason: "no room" } }, now, isNoRoom)).toEqual(tried);
  expect(settleOrder({ attempts: [attempt], pending: order }, now, isNoRoom, "no room")).toEqual(tried);
});

test.each([
  ["a refusal of another kind", { ...order, reason: "limit exceeded" }, undefined, "limit exceeded"],
  ["a server whose creation failed for another reason", order, "action failed", "action failed"],
  ["a run that ended before the provider's answer", order, undefined, undefined],
])("orders the same server again after %s", (_what, pending, failure, reason) => {
  expect(settleOrder({ attempts: [attempt], pending }, now, isNoRoom, failure)).toEqual({
    attempts: [attempt],
    failed: { ...order, reason },
  });
});

test("tries again what failed a day ago", () => {
  expect(settleOrder({ attempts: [attempt] }, now + 24 * 3600 * 1000, isNoRoom)).toEqual({ attempts: [] });
});
