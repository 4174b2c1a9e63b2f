import type { Report } from "./report";

/** The contracts whose half against the real thing ran, and those whose real thing was not at hand. */
export interface Contracts {
  readonly ran: readonly string[];
  readonly skipped: readonly string[];
}

const title = /^contract (.+), the real one(?:: .+)?$/;

/** The contract whose real half a test belongs to, by the title of its outermost suite. */
export function contractOf(ancestorTitles: readonly string[]): string | undefined {
  return title.exec(ancestorTitles.find((each) => each !== "") ?? "")?.[1];
}

/** Which contracts the reports tell of. One of several files ran where a part of it did. */
export function contractsOf(reports: readonly Report[]): Contracts {
  const tests = reports.flatMap(({ testResults }) => testResults.flatMap(({ assertionResults }) => assertionResults));
  const named = (isRun: boolean) => {
    const own = tests.filter(({ status }) => (status === "passed" || status === "failed") === isRun);
    return new Set(own.flatMap(({ ancestorTitles }) => contractOf(ancestorTitles) ?? []));
  };
  const ran = named(true);
  return { ran: [...ran].sort(), skipped: [...named(false)].filter((name) => !ran.has(name)).sort() };
}

/** The closing line on them. */
export function contractsLine({ ran, skipped }: Contracts): string {
  const names = skipped.length === 0 ? "" : ` (${skipped.join(", ")})`;
  return `real: ${ran.length} contracts ran, ${skipped.length} skipped${names}`;
}
