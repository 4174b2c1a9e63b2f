import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, expect, test } from "vitest";
import { countOf, failuresOf } from "../lab/testRun/tally.ts";
import { vitest } from "../lab/testRun/vitest.ts";

const checkout = join(import.meta.dirname, "..");
const made: string[] = [];

afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true });
});

/** Runs a test file in a separate checkout with this one's configuration. */
async function runOf(content: string, seconds: number) {
  const root = mkdtempSync(join(tmpdir(), "pillar-host-runner-"));
  made.push(root);
  mkdirSync(join(root, "test"));
  symlinkSync(join(checkout, "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "test/one.test.ts"), `import { expect, it } from "vitest";\n${content}`);
  return vitest(["--root", root, "--project", "unit"], Date.now() + seconds * 1000, "ignore");
}
const ran = async (content: string, seconds: number) => countOf(await runOf(content, seconds));

const good = `it("is good", () => expect(1).toBe(1));\n`;

test("a test left with .only fails the run", { timeout: 120_000 }, async () => {
  const { failed } = await ran(`${good}it.only("is alone", () => expect(1).toBe(1));`, 100);
  expect(failed).toBeGreaterThan(0);
});

test("reports why a set-up failed", { timeout: 120_000 }, async () => {
  const content = `${good}import { beforeAll, describe } from "vitest";
    describe("set up", () => { beforeAll(() => { throw new Error("no host today"); }); ${good} });`;
  const [told] = failuresOf(await runOf(content, 100));
  expect(told).toMatch(/one\.test\.ts\n {4}Error: no host today\n/);
});

test("fails a test without an assertion", { timeout: 120_000 }, async () => {
  expect(await ran(`${good}it("is bare", () => undefined);`, 100)).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test("ends a hanging test with the run, which fails", { timeout: 120_000 }, async () => {
  const started = Date.now();
  const busy = "const end = Date.now() + 90_000; while (Date.now() < end);";
  expect(await ran(`${good}it("hangs", () => { ${busy} });`, 8)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(Date.now() - started).toBeLessThan(60_000);
});

test("what a run left running ends with it, and its result stays", { timeout: 120_000 }, async () => {
  const content = `${good}import { spawn } from "node:child_process";
    it("leaves a process", () => {
      const left = spawn("sh", ["-c", "while :; do sleep 0.1; done"], { stdio: "ignore" });
      left.unref();
      writeFileSync(new URL("left.pid", import.meta.url), String(left.pid));
      expect(left.pid).toBeGreaterThan(1);
    });
    import { writeFileSync } from "node:fs";`;
  expect(await ran(content, 100)).toEqual({ passed: 2, failed: 0, skipped: 0 });
  const pid = Number(readFileSync(join(made.at(-1) ?? "", "test/left.pid"), "utf8"));
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
});

test("a secret that a test or its program prints fails the run, with file and kind", { timeout: 120_000 }, async () => {
  const [password, phrase] = ["Grey-Horse 'nine'", "fc1d5a0be3a94f0c"];
  const printed = JSON.stringify(join(checkout, "lab/testRun/printed.ts"));
  const run = await runOf(
    `${good}import { keepPrinted, noteSecret } from ${printed};
     noteSecret("a producer's password", ${JSON.stringify(password)});
     noteSecret("a stack's pass phrase", ${JSON.stringify(phrase)});
     noteSecret("an orchestrator's pass phrase", "that nobody prints");
     it("prints one", () => {
       console.log(Buffer.from("password: " + ${JSON.stringify(password)}).toString("base64"));
       keepPrinted("export P=${phrase}");
       expect(1).toBe(1);
     });`,
    100,
  );
  const file = relative(checkout, join(made.at(-1) ?? "", "test/one.test.ts"));
  const told = ["a producer's password", "a stack's pass phrase"].map((kind) => `${file}: it printed ${kind}`);
  expect(failuresOf(run)).toEqual(told);
  expect(countOf(run)).toEqual({ passed: 2, failed: 2, skipped: 0 });
});
