import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { hashesOf, notePassed, passedBefore } from "../lab/testRun/ownTests.ts";
import { scratchDirectory } from "./scratchDirectory.ts";

const file = "test/lab/plugins/a.long.test.ts";
const root = scratchDirectory();

const put = (name: string, text: string) => {
  mkdirSync(join(root(), dirname(name)), { recursive: true });
  writeFileSync(join(root(), name), text);
};
const key = async () => (await hashesOf(root(), [file]))[file];

beforeEach(() => {
  put(file, 'import { step } from "../../../core/steps/step"; import "vitest"; step();');
  put("core/steps/step.ts", "export const step = () => 1;");
  put("core/steps/step.sh", "echo 1");
  put("core/sync/sync.ts", "export {};");
  put("lab/plugins/main.go", "package main");
  put("package-lock.json", "{}");
});

test.each([
  ["the test itself", file, 'import { step } from "../../../core/steps/step"; step(1);'],
  ["the lab in any language", "lab/plugins/main.go", "package other"],
  ["the program's files that they import", "core/steps/step.ts", "export const step = () => 2;"],
  ["the files beside those", "core/steps/step.sh", "echo 2"],
  ["the libraries", "package-lock.json", '{ "a": 1 }'],
])("the lab's own tests depend on %s", async (_, name, text) => {
  const before = await key();
  expect(await key()).toBe(before);
  put(name, text);
  expect(await key()).not.toBe(before);
});

test("a test that boots a lab depends on all of it except the rooms with commands", async () => {
  const booting = "test/lab/gate/c.long.test.ts";
  put(booting, 'import "../../../core/sync/sync";');
  const hash = async () => (await hashesOf(root(), [booting]))[booting];
  for (const [name, isOn] of [
    ["lab/operator/services.ts", true],
    ["lab/doubles/node.ts", true],
    ["lab/bench/rows.ts", false],
  ] as const) {
    const before = await hash();
    put(name, "export const other = 1;");
    expect((await hash()) !== before, name).toBe(isOn);
  }
});

test("records a file that passed until a dependency changes; failed and missing files are not recorded", async () => {
  const other = "test/lab/plugins/b.long.test.ts";
  put(other, 'import "../../../core/sync/sync";');
  const hashes = () => hashesOf(root(), [file, other]);
  const ended = (name: string, status: string) => ({ name: `/checkout/${name}`, status, assertionResults: [] });
  const note = async (...testResults: ReturnType<typeof ended>[]) =>
    notePassed(root(), await hashes(), { numPassedTests: 1, numFailedTests: 0, testResults });
  expect(passedBefore(root(), await hashes())).toEqual([]);
  await note(ended(file, "passed"), ended(other, "failed"));
  expect(passedBefore(root(), await hashes())).toEqual([file]);
  // The file that was left out stays recorded.
  await note(ended(other, "passed"));
  expect(passedBefore(root(), await hashes())).toEqual([file, other]);
  put("core/sync/sync.ts", "export const other = 1;");
  expect(passedBefore(root(), await hashes())).toEqual([file]);
});
