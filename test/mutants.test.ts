import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mutants } from "../lab/mutants/list";
import { type Mutant, mutated, outcomeOf, rowOf } from "../lab/mutants/mutant";
import type { Report } from "../lab/testRun/tally";
import { checkout } from "../lab/toolchain/version";

describe("the list of mutants", () => {
  test.for(mutants)("$file: $what", (mutant) => {
    const text = readFileSync(join(checkout, mutant.file), "utf8");
    expect(mutated(mutant, text)).not.toBe(text);
    expect(mutant.tests.filter((file) => !existsSync(join(checkout, file)))).toEqual([]);
  });

  test("names each mistake once", () => {
    const names = mutants.map(({ file, what }) => `${file}: ${what}`);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

describe("a mutant", () => {
  const mutant: Mutant = { what: "adds", file: "a.ts", from: "- 1", to: "+ $& 1", tests: ["a.test.ts"] };

  test("replaces a text that is there once, to the letter", () => {
    expect(mutated(mutant, "n - 1;")).toBe("n + $& 1;");
  });

  test.for([
    ["n;", 0],
    ["n - 1 - 1;", 2],
  ] as const)("is refused where its text in %s is there %i times", ([text, count]) => {
    expect(() => mutated(mutant, text)).toThrow(
      `a.ts: the text that a mutant replaces is there ${count} times\n  found: ${count}; it is: "- 1"`,
    );
  });

  const report = (numPassedTests: number, ...tests: readonly (readonly [string, string])[]): Report => ({
    ...{ numPassedTests, numFailedTests: 0 },
    testResults: tests.map(([name, status]) => ({
      ...{ name: "a.test.ts", status },
      assertionResults: name === "" ? [] : [{ status, fullName: name, ancestorTitles: [] }],
    })),
  });

  test.for([
    ["the first test that failed", report(1, ["one", "passed"], ["two", "failed"], ["three", "failed"]), "two"],
    ["nothing where all passed", report(1, ["one", "passed"]), "NOT CAUGHT"],
    ["no test where none ran", report(0, ["one", "skipped"]), "BROKEN: no test ran"],
    [
      "a file that could not be loaded as what it is",
      report(0, ["", "failed"]),
      "BROKEN: a.test.ts could not be loaded",
    ],
    ["a run that was ended as noticed", undefined, "the tests come to no end"],
  ] as const)("is told with %s", ([, told, said]) => {
    expect(rowOf(mutant, outcomeOf(told))).toBe(`a.ts: adds → ${said}`);
  });
});
