import { execFile } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { compiled } from "../../../compile";

const run = promisify(execFile);
let root: string;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(tmpdir(), "store-twice-"));
});
afterEach(() => fs.rmSync(root, { recursive: true }));

/** A process of a checkout, that asks where the records are and adds a line. */
async function writeLine(checkout: string, text: string): Promise<void> {
  const code = `
    const { openEventLog } = require(${JSON.stringify(path.join(compiled(), "core/eventLog/eventLog.js"))});
    const place = { directory: "$XDG_DATA_HOME/pillar-host/records/Anvil", stack: "prod", pillar: "Anvil" };
    openEventLog(place, { now: Date.now, say: console.error }).add({ event: "told", details: { notice: "${text}" } });`;
  const env = { ...process.env, XDG_DATA_HOME: path.join(root, "data") };
  await run(process.execPath, ["-e", code], { cwd: checkout, env });
}

it("two processes of one checkout, and of two that hold the same, spoil nothing for each other", async () => {
  const checkouts = ["one", "two"].map((name) => path.join(root, name));
  const early = `${JSON.stringify({ at: "2026-11-22T10:00:00.000Z", stack: "prod", pillar: "Anvil", event: "host" })}\n`;
  for (const checkout of checkouts) {
    fs.mkdirSync(path.join(checkout, "backups/Anvil"), { recursive: true });
    for (let i = 0; i < 20; i += 1)
      fs.writeFileSync(path.join(checkout, `backups/Anvil/${i}.tar.age`), "sealed".repeat(100_000));
    fs.writeFileSync(path.join(checkout, "backups/Anvil/record.jsonl"), early);
    fs.writeFileSync(path.join(checkout, "backups/Anvil.age-identity"), "AGE-SECRET-KEY-1NONE\n");
  }
  const names = ["a", "b", "c", "d"];
  await Promise.all(names.map((name, i) => writeLine(checkouts[i % 2] ?? "", name)));
  const records = path.join(root, "data/pillar-host/records/Anvil");
  const lines = fs.readFileSync(path.join(records, "record.jsonl"), "utf8").trimEnd().split("\n");
  expect(`${lines[0]}\n`).toBe(early);
  const told = lines.slice(1).map((line) => (JSON.parse(line) as { details: { notice: string } }).details.notice);
  expect(told.sort()).toEqual(names);
  expect(fs.readdirSync(records)).toHaveLength(21);
  for (const checkout of checkouts) expect(fs.readlinkSync(path.join(checkout, "backups/Anvil"))).toBe(records);
});
