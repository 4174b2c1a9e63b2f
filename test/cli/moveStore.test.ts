import crypto from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { least } from "../components/exampleConfig";
import { type S3Double, startS3Double } from "../core/store/s3Double";
import { textOf, wholeWay } from "./report/exampleRecord";

const bin = join(import.meta.dirname, "../../cli/bin.js");
const record = textOf(wholeWay);
const lines = record.split("\n").filter((line) => line !== "");

let root = "";
let double: S3Double;
let address = "";
/** Of the tool that runs. */
let kill: () => void = () => undefined;
const own = (...parts: string[]) => join(root, "data/pillar-host/records/Anvil", ...parts);

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "move-store-"));
  double = await startS3Double("state");
  address = `s3://state?endpoint=${encodeURIComponent(double.endpoint)}&s3ForcePathStyle=true`;
  mkdirSync(own(), { recursive: true });
  mkdirSync(join(root, "data/pillar-host/keys"));
  writeFileSync(join(root, "data/pillar-host/keys/Anvil.age-identity"), "AGE-SECRET-KEY-1HUNTER2\n");
  writeFileSync(own("record.jsonl"), record);
  writeFileSync(own("a.tar.age"), "sealed");
  writeFileSync(own("a.manifest.json"), "{}");
  writeFileSync(own("orders-prod-2-Anvil.json"), '{"attempts":[],"ordered":"52"}\n');
});
afterEach(() => {
  double.close();
  rmSync(root, { recursive: true });
});

/** Runs the tool with a pulumi that knows the stack, with or without the store. */
async function run(store: string | undefined, ...args: string[]) {
  const path = join(root, ".bin");
  const config = { ...least, ...(store === undefined ? {} : { store }) };
  const keys = Object.entries(config).map(([key, value]) => [
    `pillar-host:${key}`,
    { value: typeof value === "string" ? value : JSON.stringify(value), objectValue: value, secret: true },
  ]);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "pulumi"), `#!/bin/sh\ncat <<'END'\n${JSON.stringify(Object.fromEntries(keys))}\nEND\n`);
  chmodSync(join(path, "pulumi"), 0o700);
  const tool = execa(process.execPath, [bin, ...args], {
    ...{ cwd: root, extendEnv: false, reject: false, stdin: "ignore", all: true },
    env: {
      PATH: `${path}:/usr/bin:/bin`,
      XDG_DATA_HOME: join(root, "data"),
      ...{ AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: "hunter2-of-the-bucket" },
    },
  });
  kill = () => tool.kill("SIGKILL");
  const { exitCode, all } = await tool;
  expect(all).not.toMatch(/hunter2/i);
  return { exitCode, out: all };
}
const move = () => run(undefined, "store", "move", "prod-2", address);
const inLog = () =>
  [...double.objects]
    .filter(([key]) => key.includes("/log/"))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { body }]) => body.toString().trimEnd());
const keys = () => [...double.objects.keys()].filter((key) => !key.includes("/log/"));

test("record and backups are in the bucket, the key is not, and the log here is set aside", async () => {
  const { exitCode, out } = await move();
  expect(exitCode, out).toBe(0);
  expect(inLog()).toEqual(lines);
  const [manifest, archive, orders = "", ...rest] = keys().sort();
  expect([manifest, archive, rest]).toEqual([
    "pillar-host/Anvil/backups/a.manifest.json",
    "pillar-host/Anvil/backups/a.tar.age",
    [],
  ]);
  expect(orders).toMatch(/^pillar-host\/Anvil\/newest\/orders-prod-2-Anvil\.json\//);
  expect(double.objects.get(orders)?.body.toString().trim()).toBe('{"attempts":[],"ordered":"52"}');
  expect(existsSync(own("orders-prod-2-Anvil.json"))).toBe(false);
  expect([...double.objects.values()].some(({ body }) => body.includes("AGE-SECRET"))).toBe(false);
  expect(out).toContain(
    `${lines.length} lines of the record and 2 files of backups are in s3://state/pillar-host/Anvil/`,
  );
  expect(out).toContain(`pulumi config set --path pillar-host:store '${address}' -s prod-2`);
  expect([existsSync(own("record.jsonl")), readFileSync(own("record.jsonl.moved"), "utf8")]).toEqual([false, record]);
  // Again, there is nothing left to do.
  expect((await move()).exitCode).toBe(0);
  expect(inLog()).toEqual(lines);
});

test("the report is read from the bucket, with its configuration and without", async () => {
  await move();
  const configured = await run(address, "report", "prod-2", "--json");
  expect(configured.exitCode, configured.out).toBe(0);
  const marked = await run(undefined, "report", "prod-2", "--json");
  expect(marked.out).toBe(configured.out);
  rmSync(join(root, "data"), { recursive: true });
  const elsewhere = await run(address, "report", "prod-2", "--json");
  expect(JSON.parse(elsewhere.out)).toMatchObject({ stack: "prod-2" });
  // What is not on this machine is named where it is.
  const places = elsewhere.out?.match(/[^" ]*\/(?=[^"/ ]*\.tar\.age)/g) ?? [];
  expect(new Set(places)).toEqual(new Set(["s3://state/pillar-host/Anvil/backups/"]));
  const asked = await run(undefined, "report", "prod-2", "--json", "--directory", `${address}#Anvil`);
  expect(asked.out).toBe(elsewhere.out);
});

test("one that was killed in the middle goes on, and adds nothing twice", async () => {
  await move();
  const log = [...double.objects.keys()].filter((key) => key.includes("/log/")).sort();
  for (const key of [...log.slice(2), "pillar-host/Anvil/backups/a.tar.age"]) double.objects.delete(key);
  rmSync(own("moved-to"));
  writeFileSync(own("record.jsonl"), record);
  expect((await move()).exitCode).toBe(0);
  expect(inLog()).toEqual(lines);
  expect(keys()).toHaveLength(3);
});

test("killed before and after each of its writes it is gone on with, and at no time is a line in neither place", {
  timeout: 300_000,
}, async () => {
  const few = lines.slice(0, 2);
  rmSync(own("a.manifest.json"));
  writeFileSync(own("record.jsonl"), `${few.join("\n")}\n`);
  const here = () => (existsSync(own("record.jsonl")) ? few : []);
  let kills = 0;
  for (let isOver = false; !isOver; ) {
    for (const side of ["before", "after"] as const) {
      let isKilled = false;
      double.stop = {
        side,
        told: () => {
          isKilled = true;
          kill();
        },
      };
      const { exitCode, out } = await move();
      expect(new Set([...here(), ...inLog()])).toEqual(new Set(few));
      isOver = !isKilled;
      if (isOver) {
        expect(exitCode, out).toBe(0);
        break;
      }
      kills += 1;
    }
  }
  // Two lines, a backup, and the record of orders.
  expect(kills).toBe(8);
  expect([inLog(), keys().length, here()]).toEqual([few, 2, []]);
});

test("a bucket with another record, or with another backup of that name, is left as it is", async () => {
  const put = (key: string, text: string) =>
    double.objects.set(key, {
      body: Buffer.from(text),
      sha256: crypto.createHash("sha256").update(text).digest("hex"),
    });
  put("pillar-host/Anvil/log/000001000000000-a.json", '{"another":1}\n');
  const other = await move();
  expect([other.exitCode, existsSync(own("record.jsonl")), inLog()]).toEqual([2, true, ['{"another":1}']]);
  expect(other.out).toContain("has another record than this machine; nothing was set aside");
  double.objects.clear();
  put("pillar-host/Anvil/backups/a.tar.age", "SEALED");
  const backup = await move();
  expect([backup.exitCode, existsSync(own("record.jsonl"))]).toEqual([2, true]);
  expect(backup.out).toContain("a.tar.age is there already: nothing is overwritten");
});

test("a bucket that refuses, or takes half, leaves all here", async () => {
  for (const mood of ["forbidden", "halfTaken"] as const) {
    double.mood = mood;
    const { exitCode, out } = await move();
    expect([exitCode, existsSync(own("record.jsonl")), existsSync(own("moved-to"))]).toEqual([2, true, false]);
    expect(out).toContain("the store of the records can't be");
  }
});

test("where the configuration and the record are in different places, nothing is read as empty", async () => {
  const early = await run(address, "report", "prod-2");
  expect([early.exitCode, early.out]).toEqual([2, expect.stringContaining("are not in the store that is configured")]);
  expect(early.out).toContain("./pillar-host store move prod-2 ADDRESS");
});
