import { stripVTControlCharacters } from "node:util";
import { contractOf } from "./contracts";
import type { Report } from "./report";

/** How the runner ended; without a report where it was ended before it wrote one. */
export interface Run {
  readonly exitCode: number;
  readonly report?: Report;
  /** By file, its whole path, why a set-up failed (lab/testRun/fileReporter.ts). */
  readonly setUps?: Readonly<Record<string, readonly string[]>>;
  /** Secrets in what was printed, a line each (lab/testRun/printed.ts). */
  readonly leaks?: readonly string[];
  /** Errors outside of any test. */
  readonly hasStrayErrors?: boolean;
}

/** What the closing line says. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What a run of the tests came to. */
export function countOf({ exitCode, report, leaks = [] }: Run): Tally {
  if (!report) return { passed: 0, failed: 1 + leaks.length, skipped: 0 };
  const skipped = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      // Half a contract is skipped by name where the real thing is not at hand: counted in a line of its own.
      .map(({ ancestorTitles }) => name.includes("/test/lab/") && contractOf(ancestorTitles) === undefined),
  );
  // A lab test that was not run has proved nothing.
  const lost = skipped.filter((isLost) => isLost).length;
  // A file that could not be loaded has no failed test of its own.
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
  const failed = report.numFailedTests + lost + unloaded;
  // The runner fails on more than tests and files: an error outside of any of them.
  return {
    passed: report.numPassedTests,
    failed: (failed === 0 && exitCode !== 0 ? 1 : failed) + leaks.length,
    skipped: skipped.length - lost,
  };
}

/**
 * What did not do what it should, by file and name, with the first lines of why, to be told again where it is read: at the
 * end. Where something printed a secret, a reason may hold it: none is told again.
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

/** The first lines of an error, and the first place of its stack that is the project's own. */
function reasonLines(message: string): string[] {
  const lines = stripVTControlCharacters(message)
    .split("\n")
    .map((line) => line.trimEnd().slice(0, 300));
  const isPlace = (line: string) => /^\s+at /.test(line);
  const own = lines.find((line) => isPlace(line) && !line.includes("node_modules")) ?? "";
  return [...lines.filter((line) => line !== "" && !isPlace(line)).slice(0, 12), own.trim()].filter(Boolean);
}

/** All of it together. */
export function sumOf(tallies: readonly Tally[]): Tally {
  const sum = (what: keyof Tally) => tallies.reduce((total, tally) => total + tally[what], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

export function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** A run that proved nothing is no success. */
export function exitCodeOf({ passed, failed }: Tally): number {
  return failed > 0 || passed === 0 ? 1 : 0;
}
