import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { type Durations, recordedName } from "./durations.ts";

/** Names the environment variable with the path that {@link FilesSeen} is written to. */
export const filesVariable = "PILLAR_TEST_FILES";

/** Results by file that the JSON report leaves out. */
export interface FilesSeen {
  /** Durations of the files that passed, hooks included. */
  readonly durations: Durations;
  /** Errors of set-up and clean-up by absolute path of the file: no test shows them. */
  readonly setUps: Readonly<Record<string, readonly string[]>>;
  /** True if an error occurred outside of any test. */
  readonly hasStrayErrors: boolean;
}

export default class FileReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], strayErrors: readonly unknown[]): void {
    const file = process.env[filesVariable];
    if (file === undefined) return;
    const took = modules
      .filter((module) => module.ok())
      .map((module) => [recordedName(module.moduleId), Math.round(module.diagnostic().duration / 1000)]);
    const failed = modules.flatMap((module) => {
      const errors = [module, ...module.children.allSuites()].flatMap((each) => each.errors());
      const why = errors.map(({ message, stack }) => stack ?? message);
      return why.length === 0 ? [] : [[module.moduleId, why] as const];
    });
    const seen: FilesSeen = {
      durations: Object.fromEntries(took),
      setUps: Object.fromEntries(failed),
      hasStrayErrors: strayErrors.length > 0,
    };
    writeFileSync(file, JSON.stringify(seen));
  }
}
