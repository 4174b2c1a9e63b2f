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

test("keeps the reason of a creation that failed for another reason", () => {
  const settled = settleOrder({ attempts: [attempt], pending: order }, now, isNoRoom, "action failed");
  expect(settled).toEqual({ attempts: [attempt], failed: { ...order, reason: "action failed" } });
});

test("tries again what failed a day ago", () => {
  expect(settleOrder({ attempts: [attempt] }, now + 24 * 3600 * 1000, isNoRoom)).toEqual({ attempts: [] });
});
