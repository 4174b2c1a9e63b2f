import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { scratchDirectory } from "./scratchDirectory.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const scratch = scratchDirectory();

/** Starts `.ci/run` in a checkout whose tests are this script. */
function startCi(tests: string) {
  for (const folder of [".ci", "lab"]) mkdirSync(join(scratch(), folder));
  for (const file of [".ci/run", "package.json"]) copyFileSync(join(root, file), join(scratch(), file));
  writeFileSync(join(scratch(), "lab/run"), `#!/bin/sh\n${tests}\n`);
  chmodSync(join(scratch(), "lab/run"), 0o755);
  return execa(join(scratch(), ".ci/run"), { all: true, reject: false, stdin: "ignore" });
}

test(".ci/run is README's test command with both tiers, and ends with its closing line and exit code", async () => {
  expect(read("README.md")).toMatch(/^npm test$/m);
  expect(read(".ci/run")).toMatch(/^exec npm --silent test -- --all\n$/m);
  const { all, exitCode } = await startCi('echo "ran: $*"; echo "1 passed, 2 failed, 0 skipped"; exit 3');
  expect({ all, exitCode }).toEqual({ all: "ran: lab/test.ts --all\n1 passed, 2 failed, 0 skipped", exitCode: 3 });
});

test("no shell is between .ci/run and the tests: it would not pass on a signal, which takes down the labs", async () => {
  const run = startCi("echo $PPID");
  expect((await run).all).toBe(String(run.pid));
});
