import { stripVTControlCharacters } from "node:util";
import type { FilesSeen } from "./fileReporter.ts";

/** Vitest's JSON report, as far as it is read here. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: ReadonlyArray<{
    readonly name: string;
    readonly status: string;
    readonly assertionResults: ReadonlyArray<{
      readonly status: string;
      readonly fullName: string;
      readonly ancestorTitles: readonly string[];
      readonly failureMessages?: readonly string[];
    }>;
    /** Reason that a file could not be loaded. */
    readonly message?: string;
  }>;
}

/** Result of the test runner; no report if it was killed before it wrote one. */
export interface Run extends Partial<FilesSeen> {
  readonly exitCode: number;
  readonly report?: Report;
  /** Secrets in the output, a line each (lab/testRun/printed.ts). */
  readonly leaks?: readonly string[];
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

/** More failed files than this are not due to a busy machine, so none is run again. */
const mostAgain = 5;

const hasFailed = ({ status }: Report["testResults"][number]) => status === "failed";

/** Returns the lab files that failed and are run a second time. */
export function worthAgain({ report }: Run): string[] {
  const failed = (report?.testResults ?? []).filter((file) => hasFailed(file) && file.name.includes("/test/lab/"));
  return failed.length > mostAgain ? [] : failed.map(({ name }) => name.slice(name.lastIndexOf("/test/lab/") + 1));
}

/**
 * Returns the first run, with a file's second result in place of its first if it passed the second time. A second
 * failure adds nothing and is not counted.
 */
export function withSecondAttempt<T extends Run>(first: T, file: string, second: Run): T {
  const isFile = ({ name }: Report["testResults"][number]) => name.endsWith(`/${file}`);
  const passed = second.report?.testResults.find(isFile);
  const leaks = [...(first.leaks ?? []), ...(second.leaks ?? [])];
  if (!first.report || second.exitCode !== 0 || passed?.status !== "passed") return { ...first, leaks };
  const testResults = first.report.testResults.map((each) => (isFile(each) ? passed : each));
  const count = (status: string) =>
    testResults.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;
  const isWell = !testResults.some(hasFailed) && !first.hasStrayErrors;
  return {
    ...first,
    leaks,
    exitCode: isWell ? 0 : first.exitCode,
    report: { ...first.report, testResults, numPassedTests: count("passed"), numFailedTests: count("failed") },
  };
}

const title = /^contract (.+), the real one(: .+)?$/;

/** Returns the contract that a test checks against the real program, by the title of its outermost suite. */
function contractOf(ancestorTitles: readonly string[]): string | undefined {
  return contractTitle(ancestorTitles)?.[1];
}

const contractTitle = (ancestorTitles: readonly string[]) => title.exec(ancestorTitles.find(Boolean) ?? "");

/**
 * Returns the contracts whose tests against the real program ran, those whose real program was missing, and those that
 * did not run with their program at hand, because their set-up failed. A contract of several files ran if any part of
 * it ran.
 */
export function contractsOf(reports: readonly Report[]) {
  const tests = reports.flatMap(({ testResults }) => testResults.flatMap(({ assertionResults }) => assertionResults));
  const named = (isWanted: (test: (typeof tests)[number]) => boolean, without: readonly string[] = []) => {
    const names = new Set(tests.filter(isWanted).flatMap(({ ancestorTitles }) => contractOf(ancestorTitles) ?? []));
    return [...names].filter((name) => !without.includes(name)).sort();
  };
  const ran = named(({ status }) => status === "passed" || status === "failed");
  // Only a missing program adds its reason to the title.
  const failed = named(({ ancestorTitles }) => contractTitle(ancestorTitles)?.[2] === undefined, ran);
  return { ran, failed, skipped: named(() => true, [...ran, ...failed]) };
}

/** Formats the closing line about contracts. */
export function contractsLine({ ran, skipped, failed }: ReturnType<typeof contractsOf>): string {
  const names = (contracts: readonly string[]) => (contracts.length === 0 ? "" : ` (${contracts.join(", ")})`);
  const lost = failed.length === 0 ? "" : `, ${failed.length} failed before their first test${names(failed)}`;
  return `real: ${ran.length} contracts ran, ${skipped.length} skipped${names(skipped)}${lost}`;
}
