import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readOrderRecord, settled, writeRecord } from "../../../core/cloud/attempts";

const directory = mkdtempSync(join(tmpdir(), "attempts-"));
const file = join(directory, "orders-prod-2.json");
const order = { plan: "cx33", location: "fsn1", at: "2026-11-21T14:00:00.000Z" };
const attempt = { ...order, location: "nbg1", reason: "resource_unavailable" };
const now = Date.parse("2026-11-21T15:00:00Z");

afterAll(() => rmSync(directory, { recursive: true }));

test("a record is read as it was written, and leaves nothing else", () => {
  writeRecord(file, { attempts: [attempt], pending: order });
  expect(readOrderRecord(file)).toEqual({ attempts: [attempt], pending: order });
  expect(readdirSync(directory)).toEqual(["orders-prod-2.json"]);
});

test("a server that came and let nobody in yet is remembered", () => {
  writeRecord(file, { attempts: [], ordered: "52" });
  expect(readOrderRecord(file)).toEqual({ attempts: [], ordered: "52" });
});

test("an empty record is no file", () => {
  writeRecord(file, { attempts: [attempt] });
  writeRecord(file, { attempts: [] });
  expect(readdirSync(directory)).toEqual([]);
  expect(readOrderRecord(file)).toEqual({ attempts: [] });
});

test.each(["", "{", '{"attempts":[{}]}', "[]"])("an unreadable record (%j) is none", (text) => {
  writeFileSync(file, text);
  expect(readOrderRecord(file)).toEqual({ attempts: [] });
});

const isNoRoom = (words: string) => words.includes("no room");

test("an order that found no room is an attempt, whoever told it", () => {
  const tried = { attempts: [attempt, { ...order, reason: "no room" }] };
  expect(settled({ attempts: [attempt], pending: { ...order, reason: "no room" } }, now, isNoRoom)).toEqual(tried);
  expect(settled({ attempts: [attempt], pending: order }, now, isNoRoom, "no room")).toEqual(tried);
});

test.each([
  ["a refusal of another kind", { ...order, reason: "limit exceeded" }, undefined, "limit exceeded"],
  ["a server that was not made to its end, for another reason", order, "action failed", "action failed"],
  ["a run that ended before it heard of it", order, undefined, undefined],
])("%s is no attempt: the same is ordered again", (_what, pending, failure, reason) => {
  expect(settled({ attempts: [attempt], pending }, now, isNoRoom, failure)).toEqual({
    attempts: [attempt],
    failed: { ...order, reason },
  });
});

test("the price that was shown is kept", () => {
  const shown = { wish: "hetzner, auto", monthly: 10.7, currency: "EUR" };
  writeRecord(file, { attempts: [], shown });
  expect(readOrderRecord(file)).toEqual({ attempts: [], shown });
});

test("what failed a day ago is tried again", () => {
  expect(settled({ attempts: [attempt] }, now + 24 * 3600 * 1000, isNoRoom)).toEqual({ attempts: [] });
});
