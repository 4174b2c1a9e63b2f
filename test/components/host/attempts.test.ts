import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readRecord, recordFile, settled, writeRecord } from "../../../components/host/attempts";

const directory = mkdtempSync(join(tmpdir(), "attempts-"));
const file = recordFile("prod-2", directory);
const order = { plan: "cx33", location: "fsn1", at: "2026-11-21T14:00:00.000Z" };
const attempt = { ...order, location: "nbg1", reason: "resource_unavailable" };
const now = Date.parse("2026-11-21T15:00:00Z");

afterAll(() => rmSync(directory, { recursive: true }));

test("a record is read as it was written, and leaves nothing else", () => {
  writeRecord(file, { attempts: [attempt], pending: order });
  expect(readRecord(file)).toEqual({ attempts: [attempt], pending: order });
  expect(readdirSync(directory)).toEqual(["Pulumi.prod-2.attempts.json"]);
});

test("a server that came and let nobody in yet is remembered", () => {
  writeRecord(file, { attempts: [], ordered: "52" });
  expect(readRecord(file)).toEqual({ attempts: [], ordered: "52" });
});

test("an empty record is no file", () => {
  writeRecord(file, { attempts: [attempt] });
  writeRecord(file, { attempts: [] });
  expect(readdirSync(directory)).toEqual([]);
  expect(readRecord(file)).toEqual({ attempts: [] });
});

test.each(["", "{", '{"attempts":[{}]}', "[]"])("an unreadable record (%j) is none", (text) => {
  writeFileSync(file, text);
  expect(readRecord(file)).toEqual({ attempts: [] });
});

test("an order that is on its way came to nothing, for the reason that is known", () => {
  expect(settled({ attempts: [attempt], pending: order }, now, "no room")).toEqual([
    attempt,
    { ...order, reason: "no room" },
  ]);
  expect(settled({ attempts: [], pending: order }, now)[0]?.reason).toMatch(/^the provider did not make it/);
});

test("what failed a day ago is tried again", () => {
  expect(settled({ attempts: [attempt] }, now + 24 * 3600 * 1000)).toEqual([]);
});
