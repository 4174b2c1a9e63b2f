import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { type Durations, recordedName } from "./durations";

/** The environment variable that says where {@link FilesSeen} goes. */
export const filesVariable = "PILLAR_TEST_FILES";

/** What the JSON report leaves out of each file. */
export interface FilesSeen {
  /** What those took that went well, their hooks included. */
  readonly durations: Durations;
  /** By file, its whole path, why a set-up or a clean-up failed: no test of its own did. */
  readonly setUps: Readonly<Record<string, readonly string[]>>;
  /** Errors outside of any test. */
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
