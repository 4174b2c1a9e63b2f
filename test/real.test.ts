import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hasReal, realProgram } from "../lab/real/realPrograms.ts";
import { scratchDirectory } from "./scratchDirectory.ts";

const script = "#!/bin/sh\necho real\n";
const sumOf = (file: string) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");

const work = scratchDirectory();
let reals: string;

beforeEach(() => {
  reals = path.join(work(), "reals");
  fs.mkdirSync(reals);
  vi.stubEnv("PILLAR_LAB_REAL", reals);
  vi.stubEnv("PILLAR_LAB_REAL_USED", undefined);
  vi.stubEnv("XDG_CACHE_HOME", path.join(work(), "cache"));
});

afterEach(() => void vi.unstubAllEnvs());

async function pack(name: string): Promise<string> {
  const file = path.join(reals, name);
  fs.writeFileSync(file, script);
  await execa("xz", [file]);
  return `${file}.xz`;
}

test.each(["packed", "as it is"])("real programs: uses an existing one %s, unchanged", async (how) => {
  const file = how === "packed" ? await pack("znnd") : path.join(reals, "znnd");
  if (how !== "packed") fs.writeFileSync(file, script, { mode: 0o444 });
  const before = sumOf(file);
  expect((await execa((await realProgram("znnd")) ?? "")).stdout).toBe("real");
  expect([hasReal("orchestrator"), await realProgram("orchestrator")]).toEqual([false, undefined]);
  expect([sumOf(file), fs.readdirSync(reals)]).toEqual([before, [path.basename(file)]]);
});

test("real programs: refuses one with another checksum", async () => {
  const file = await pack("znnd");
  fs.writeFileSync(path.join(reals, "SHA256SUMS"), `${sumOf(file)}  znnd.xz\n`);
  expect(await realProgram("znnd")).toBeDefined();
  fs.writeFileSync(path.join(reals, "SHA256SUMS"), `${"0".repeat(64)}  znnd.xz\n`);
  await expect(realProgram("znnd")).rejects.toThrow(/znnd\.xz has sha256 \w{64}, SHA256SUMS says 0{64}: not used/);
});
