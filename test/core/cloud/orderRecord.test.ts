import { expect, test } from "vitest";
import { formatOrderRecord, type OrderRecord, parseOrderRecord, settleOrder } from "../../../core/cloud/orderRecord.ts";

const order = { plan: "cx33", location: "fsn1", at: new Date(Date.now() - 3_600_000).toISOString() };
const attempt = { ...order, location: "nbg1", reason: "resource_unavailable" };

test.each<OrderRecord>([
  { attempts: [attempt], pending: order },
  { attempts: [], sent: [{ number: "0123456789abcdef", at: order.at }] },
  { attempts: [], shown: { wish: "hetzner, auto", monthly: 10.7, currency: "EUR" } },
])("reads a record as it was written (%j)", (record) => {
  expect(parseOrderRecord(formatOrderRecord(record))).toEqual(record);
});

test("writes no text for an empty record, and reads no text, or an unreadable one, as an empty record", () => {
  expect(formatOrderRecord({ attempts: [] })).toBeUndefined();
  for (const text of [undefined, "", "{", '{"attempts":[{}]}', "[]"])
    expect(parseOrderRecord(text), text).toEqual({ attempts: [] });
});

test("tries again what failed a day ago", () => {
  const old = { ...attempt, at: new Date(Date.now() - 24 * 3_600_000).toISOString() };
  expect(settleOrder({ attempts: [old, attempt] }, () => true)).toEqual({ attempts: [attempt] });
});
