import type { Report } from "../testRun/tally";

/** A plausible mistake: one place of the program, and the unit tests that must notice it. */
export interface Mutant {
  /** What is wrong then. */
  readonly what: string;
  /** From the checkout's root. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Unit test files, from the checkout's root. */
  readonly tests: readonly string[];
}

/** What a run with a mistake came to: `caught` names a test; `broken` says why it tells nothing. */
export type Outcome = { readonly caught: string } | { readonly caught: undefined; readonly broken?: string };

/** The file's text with the mistake in it (pure). @throws where the text to replace is not there exactly once */
export function mutated({ file, from, to }: Mutant, text: string): string {
  const count = text.split(from).length - 1;
  if (count === 1) return text.replace(from, () => to);
  throw new Error(
    [
      `${file}: the text that a mutant replaces is there ${count} times`,
      `  found: ${count}; it is: ${JSON.stringify(from)}`,
      "  needed: once. Give it the program's present text, or more of it (lab/mutants)",
    ].join("\n"),
  );
}

/** What a report tells of a mistake (pure); undefined where the runner was ended or left none. */
export function outcomeOf(report: Report | undefined): Outcome {
  // A loop without an end is noticed, too.
  if (report === undefined) return { caught: "the tests come to no end" };
  for (const { assertionResults } of report.testResults)
    for (const { status, fullName } of assertionResults) if (status === "failed") return { caught: fullName };
  const unloaded = report.testResults.find(({ status }) => status === "failed");
  if (unloaded) return { caught: undefined, broken: `${unloaded.name} could not be loaded` };
  return report.numPassedTests > 0 ? { caught: undefined } : { caught: undefined, broken: "no test ran" };
}

/** A row of the table (pure). */
export function rowOf({ file, what }: Mutant, outcome: Outcome): string {
  const broken = outcome.caught === undefined ? outcome.broken : undefined;
  return `${file}: ${what} → ${outcome.caught ?? (broken === undefined ? "NOT CAUGHT" : `BROKEN: ${broken}`)}`;
}
