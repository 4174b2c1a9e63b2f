import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { madeVariable } from "../lab/testRun/onceARun";
import { waitForProcessor } from "../lab/testRun/pressure";
import { scratchDirectory } from "./scratchDirectory";

const directory = scratchDirectory();
beforeEach(() => {
  vi.stubEnv(madeVariable, directory());
});
afterEach(() => void vi.unstubAllEnvs());

/** Writes a kernel's file of the pressure, and marks lab files of live processes as started some time ago. */
function machine(percent: number, labs: number, secondsAgo: number): string {
  for (const pid of [1, 2, process.ppid, 99_999_999].slice(0, labs)) {
    writeFileSync(join(directory(), `lab-${pid}`), "");
    utimesSync(join(directory(), `lab-${pid}`), 0, Date.now() / 1000 - secondsAgo);
  }
  writeFileSync(join(directory(), "cpu"), `some avg10=${percent.toFixed(2)} avg60=1.00 avg300=1.00 total=1\n`);
  return join(directory(), "cpu");
}
const starts = async (file: string) => {
  const started = await Promise.race([waitForProcessor(file).then(() => true), sleep(50).then(() => false)]);
  rmSync(join(directory(), "cpu"));
  return started;
};
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.each([
  ["a free machine", 89, 3, 5, true],
  ["a busy one with two labs", 99, 2, 5, true],
  ["a busy one with three labs", 91, 3, 5, false],
  ["a lab that does not show in the pressure yet", 10, 3, 1, false],
])("a lab file looks at %s", async (_, percent, labs, secondsAgo, mayStart) => {
  expect(await starts(machine(percent, labs, secondsAgo))).toBe(mayStart);
  expect(existsSync(join(directory(), `lab-${process.pid}`))).toBe(mayStart);
});
