import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { least } from "../components/exampleConfig.ts";
import { type S3Double, startS3Double } from "../core/store/s3Double.ts";
import { scratchDirectory } from "../scratchDirectory.ts";
import { printConfig, runTool } from "./fakePulumi.ts";
import { textOf, wholeWay } from "./report/exampleLog.ts";

const root = scratchDirectory();
let double: S3Double;
let address = "";

beforeEach(async () => {
  double = await startS3Double("state");
  address = `s3://state?endpoint=${encodeURIComponent(double.endpoint)}&s3ForcePathStyle=true`;
  const files = {
    "keys/Anvil.age-identity": "AGE-SECRET-KEY-1HUNTER2\n",
    "records/Anvil/record.jsonl": textOf(wholeWay),
    "records/Anvil/a.tar.age": "sealed",
    "records/Anvil/a.manifest.json": "{}",
  };
  for (const [name, text] of Object.entries(files)) {
    const file = join(root(), "data/pillar-host", name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
});
afterEach(() => void double.close());

/** Runs the tool with a pulumi that knows the stack, with or without the store. */
async function run(store: string | undefined, ...args: string[]) {
  const config = printConfig({ ...least, ...(store === undefined ? {} : { store }) });
  const credentials = { AWS_ACCESS_KEY_ID: "operator", AWS_SECRET_ACCESS_KEY: "hunter2-of-the-bucket" };
  const { exitCode, all } = await runTool(root(), `echo '${config}'`, args, credentials);
  expect(all).not.toMatch(/hunter2/i);
  return { exitCode, out: all };
}
/**
 * Types the commands of docs/unattended.md, with an `aws` that copies below a directory, from which the double reads.
 */
async function copy() {
  const page = readFileSync(join(import.meta.dirname, "../../docs/unattended.md"), "utf8");
  const [block = ""] = page.split("```").filter((each) => each.includes("aws s3 cp"));
  const typed = block.replace(/^sh\n/, "").replaceAll("~/.local/share", join(root(), "data"));
  const aws = `#!/bin/bash
[ "$2" = cp ] || exit 0
to=${root()}/s3/\${5#s3://}; mkdir -p "$to"; cd "$4"
if [ "$4" = . ]; then cp *.tar.age *.manifest.json "$to"; else cp * "$to"; fi`;
  mkdirSync(join(root(), ".bin"), { recursive: true });
  writeFileSync(join(root(), ".bin/aws"), aws, { mode: 0o700 });
  await execa("bash", ["-euc", typed], { env: { PATH: `${join(root(), ".bin")}:/usr/bin:/bin` } });
  const place = join(root(), "s3/BUCKET");
  for (const entry of readdirSync(place, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    double.objects.set(file.slice(place.length + 1), { body: readFileSync(file), sha256: "" });
  }
}

test("reads an event log that was copied by hand from the bucket, on this machine and another", async () => {
  const here = await run(undefined, "report", "prod-2", "--json");
  expect(here.exitCode, here.out).toBe(0);
  await copy();
  const configured = await run(address, "report", "prod-2", "--json");
  expect(configured.exitCode, configured.out).toBe(0);
  expect(configured.out).toBe(here.out);
  expect([...double.objects.keys()].some((key) => key.includes("age-identity"))).toBe(false);
  rmSync(join(root(), "data"), { recursive: true });
  const elsewhere = await run(address, "report", "prod-2", "--json");
  expect(JSON.parse(elsewhere.out)).toMatchObject({ stack: "prod-2" });
  const asked = await run(undefined, "report", "prod-2", "--json", "--directory", `${address}#Anvil`);
  // With --directory no node is asked.
  const omitChain = (out: string) => ({ ...JSON.parse(out), production: undefined, verdict: undefined });
  expect(omitChain(asked.out)).toEqual(omitChain(elsewhere.out));
});

test("refuses an event log in another place than configured, instead of reading it as empty", async () => {
  const early = await run(address, "report", "prod-2");
  expect([early.exitCode, early.out]).toEqual([2, expect.stringContaining("but a bucket is configured for it")]);
  expect(early.out).toContain("rename that file to record.jsonl.moved (docs/unattended.md)");
});
