import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { documented, made } from "../lab/proofs/files";
import { proofsOf, withProofs } from "../lab/proofs/proofs";

describe("the table of proofs in lab/README.md", () => {
  const text = readFileSync(documented, "utf8");

  test("matches the tests' names (npm run proofs writes it)", () => {
    expect(text).toBe(made());
  });

  test("names every file of lab tests", () => {
    const lab = join(import.meta.dirname, "lab");
    const files = readdirSync(lab, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((name) => !text.includes(`(../test/lab/${name})`))).toEqual([]);
  });
});

test("counts a suite and a test outside of any suite as features", () => {
  const content = [
    'describe("the gate", () => { it("waits", go); describe("a stall", () => { it.each([1])("is told: %s", go); }); });',
    'test("another thing", async () => { it("never", go); });',
    'contract("node", [], (kind) => { test.skipIf(kind)("answers", go); });',
    "describe(`a host at $" + "{provider}, from nothing`, () => {});",
  ].join("\n");
  expect(proofsOf("/nowhere/a.test.ts", content, "a.test.ts")).toEqual([
    { feature: "the gate", tests: 2, file: "a.test.ts" },
    { feature: "another thing", tests: 1, file: "a.test.ts" },
    { feature: "contract node", tests: 1, file: "a.test.ts" },
    { feature: "a host at …, from nothing", tests: 0, file: "a.test.ts" },
  ]);
});

test("refuses a document without its marks", () => {
  expect(() => withProofs("# The lab\n", [])).toThrow("the marks are missing");
});

/**
 * Lists test files below test/lab that import a lab module of real programs, directly or through a helper beside them.
 */
function filesNeedingReal(): string[] {
  const lab = join(import.meta.dirname, "lab");
  const needs = (file: string): boolean => {
    const imports = [...readFileSync(file, "utf8").matchAll(/ from "(\.[^"]+)"/g)].map(([, path = ""]) =>
      join(dirname(file), path),
    );
    return imports.some(
      (path) =>
        /\/lab\/real\/real(Programs|Network|Node|Signer)$/.test(path) ||
        // contract() names its skipped half.
        (path.startsWith(lab) &&
          !path.endsWith("/contracts/contract") &&
          existsSync(`${path}.ts`) &&
          needs(`${path}.ts`)),
    );
  };
  const files = readdirSync(lab, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));
  return files.map((name) => join(lab, name)).filter(needs);
}

test("every suite of a file that needs real programs is a contract, so that its skip counts by name", () => {
  const files = filesNeedingReal();
  expect(files.length).toBeGreaterThan(5);
  const suites = files.flatMap((file) => proofsOf(file, readFileSync(file, "utf8"), basename(file)));
  expect(suites.filter(({ feature }) => !feature.startsWith("contract "))).toEqual([]);
});
