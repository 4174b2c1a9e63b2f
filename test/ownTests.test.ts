import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { havePassed, ownTests, standsOn } from "../lab/testRun/ownTests";
import { checkout } from "../lab/toolchain/version";

const file = "test/lab/plugins/a.long.test.ts";
let root = "";

const put = (name: string, text: string) => {
  mkdirSync(join(root, dirname(name)), { recursive: true });
  writeFileSync(join(root, name), text);
};
const key = () => standsOn(root, [file]);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "own-tests-"));
  put(file, 'import { step } from "../../../core/steps/step"; import "vitest"; step();');
  put("core/steps/step.ts", "export const step = () => 1;");
  put("core/steps/step.sh", "echo 1");
  put("core/sync/sync.ts", "export {};");
  put("lab/plugins/main.go", "package main");
  put("package-lock.json", "{}");
});
afterEach(() => rmSync(root, { recursive: true }));

describe("what the tests of the lab itself stand on", () => {
  test.each([
    ["the test itself", file, 'import { step } from "../../../core/steps/step"; step(1);'],
    ["the lab, whatever it is written in", "lab/plugins/main.go", "package other"],
    ["what they import of the program", "core/steps/step.ts", "export const step = () => 2;"],
    ["what lies beside that", "core/steps/step.sh", "echo 2"],
    ["the libraries", "package-lock.json", '{ "a": 1 }'],
  ])("is %s", async (_, name, text) => {
    const before = await key();
    expect(await key()).toBe(before);
    put(name, text);
    expect(await key()).not.toBe(before);
  });

  test("is nothing else of the program", async () => {
    const before = await key();
    put("core/sync/sync.ts", "export const other = 1;");
    expect(await key()).toBe(before);
  });
});

test("they have passed where each of them ran and passed", () => {
  const one = { name: `/checkout/${file}`, status: "passed", assertionResults: [] };
  const report = (...testResults: (typeof one)[]) => ({ numPassedTests: 1, numFailedTests: 0, testResults });
  expect(havePassed([file], report(one))).toBe(true);
  expect(havePassed([file], report({ ...one, status: "failed" }))).toBe(false);
  expect(havePassed([file, "test/lab/plugins/b.long.test.ts"], report(one))).toBe(false);
});

test("there are some, of the second tier all", () => {
  const own = ownTests(checkout);
  expect(own.length).toBeGreaterThan(15);
  expect(own.filter((name) => !name.endsWith(".long.test.ts"))).toEqual([]);
});
