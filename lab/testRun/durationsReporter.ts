import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { recordedName } from "./durations";

/** The environment variable that says where the durations go. */
export const durationsVariable = "PILLAR_TEST_DURATIONS";

/** Writes what each file took that went well, its hooks included, which the JSON report leaves out. */
export default class DurationsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env[durationsVariable];
    if (file === undefined) return;
    const took = modules
      .filter((module) => module.ok())
      .map((module) => [recordedName(module.moduleId), Math.round(module.diagnostic().duration / 1000)]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(took)));
  }
}
