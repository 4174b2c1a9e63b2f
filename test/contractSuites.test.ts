import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/**
 * Lists test files below test/lab that import a lab module of real programs, directly or through a helper beside them.
 */
function filesNeedingReal(): string[] {
  const lab = join(import.meta.dirname, "lab");
  const needs = (file: string): boolean => {
    const texts = [...readFileSync(file, "utf8").matchAll(/ from "(\.[^"]+)"/g)];
    const imports = texts.map(([, path = ""]) => join(dirname(file), path));
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
  const suite = /^(describe|it|test|contract|realOnly)\b/gm;
  const suites = files.flatMap((file) => readFileSync(file, "utf8").match(suite) ?? []);
  expect(suites.length).toBeGreaterThan(5);
  expect(suites.filter((name) => !["contract", "realOnly"].includes(name))).toEqual([]);
});
