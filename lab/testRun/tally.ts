import { stripVTControlCharacters } from "node:util";
import { contractOf } from "./contracts";
import type { Report } from "./report";

/** Result of the test runner; no report if it was killed before it wrote one. */
export interface Run {
  readonly exitCode: number;
  readonly report?: Report;
  /** Errors of set-ups by absolute path of the file (lab/testRun/fileReporter.ts). */
  readonly setUps?: Readonly<Record<string, readonly string[]>>;
  /** Secrets in the output, a line each (lab/testRun/printed.ts). */
  readonly leaks?: readonly string[];
  /** True if an error occurred outside of any test. */
  readonly hasStrayErrors?: boolean;
}

/** Counts in the closing line. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Counts the tests of a run; without a report, the run itself failed. */
export function countOf({ exitCode, report, leaks = [] }: Run): Tally {
  if (!report) return { passed: 0, failed: 1 + leaks.length, skipped: 0 };
  const skipped = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      // A contract without its real program is skipped on purpose: a line of its own counts it.
      .map(({ ancestorTitles }) => name.includes("/test/lab/") && contractOf(ancestorTitles) === undefined),
  );
  // A skipped lab test has proved nothing, so it counts as failed.
  const lost = skipped.filter((isLost) => isLost).length;
  // A file that could not be loaded has no failed test.
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
  const failed = report.numFailedTests + lost + unloaded;
  // The runner fails on errors outside of any test or file, too.
  return {
    passed: report.numPassedTests,
    failed: (failed === 0 && exitCode !== 0 ? 1 : failed) + leaks.length,
    skipped: skipped.length - lost,
  };
}

/**
 * Lists the failures by file and name, with the first lines of the reason: the end of the output is where people read.
 * Once a secret was printed, gives no reasons, since they may contain it.
 */
export function failuresOf({ report, setUps = {}, leaks = [] }: Run): string[] {
  const withReason = (what: string, why: string | undefined) =>
    [what, ...(leaks.length > 0 ? [] : reasonLines(why ?? ""))].join("\n    ");
  const failures = (report?.testResults ?? []).flatMap(({ name, status, assertionResults, message }) => {
    const file = name.slice(name.lastIndexOf("/test/") + 1);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0 && status === "failed") return [withReason(file, message || setUps[name]?.[0])];
    return failed.map(({ fullName, failureMessages }) => withReason(`${file}: ${fullName}`, failureMessages?.[0]));
  });
  return [...failures, ...leaks];
}

/** Returns the first lines of an error, and the first line of its stack in the project's own code. */
function reasonLines(message: string): string[] {
  const lines = stripVTControlCharacters(message)
    .split("\n")
    .map((line) => line.trimEnd().slice(0, 300));
  const isPlace = (line: string) => /^\s+at /.test(line);
  const own = lines.find((line) => isPlace(line) && !line.includes("node_modules")) ?? "";
  return [...lines.filter((line) => line !== "" && !isPlace(line)).slice(0, 12), own.trim()].filter(Boolean);
}

export function sumOf(tallies: readonly Tally[]): Tally {
  const sum = (what: keyof Tally) => tallies.reduce((total, tally) => total + tally[what], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

export function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Returns 1 for a failure; a run that proved nothing is one. */
export function exitCodeOf({ passed, failed }: Tally): number {
  return failed > 0 || passed === 0 ? 1 : 0;
}
