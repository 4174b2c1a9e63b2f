import type { Report } from "./report";

/** Contracts whose tests against the real program ran, and those whose real program was missing. */
export interface Contracts {
  readonly ran: readonly string[];
  readonly skipped: readonly string[];
}

const title = /^contract (.+), the real one(?:: .+)?$/;

/** Returns the contract that a test checks against the real program, by the title of its outermost suite. */
export function contractOf(ancestorTitles: readonly string[]): string | undefined {
  return title.exec(ancestorTitles.find((each) => each !== "") ?? "")?.[1];
}

/** Returns which contracts ran according to the reports. A contract of several files ran if any part of it ran. */
export function contractsOf(reports: readonly Report[]): Contracts {
  const tests = reports.flatMap(({ testResults }) => testResults.flatMap(({ assertionResults }) => assertionResults));
  const named = (isRun: boolean) => {
    const own = tests.filter(({ status }) => (status === "passed" || status === "failed") === isRun);
    return new Set(own.flatMap(({ ancestorTitles }) => contractOf(ancestorTitles) ?? []));
  };
  const ran = named(true);
  return { ran: [...ran].sort(), skipped: [...named(false)].filter((name) => !ran.has(name)).sort() };
}

/** Formats the closing line about contracts. */
export function contractsLine({ ran, skipped }: Contracts): string {
  const names = skipped.length === 0 ? "" : ` (${skipped.join(", ")})`;
  return `real: ${ran.length} contracts ran, ${skipped.length} skipped${names}`;
}
