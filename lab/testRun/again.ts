import type { Report } from "./report";
import type { Run } from "./tally";

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
