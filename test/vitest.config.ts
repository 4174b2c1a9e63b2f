import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { expectedSeconds, leftOut, readDurations } from "../lab/testRun/durations.ts";

const durations = readDurations();

/** The longest first, of all projects, by what was recorded last: one that begins last is waited for. Else vitest's own order. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification) => expectedSeconds(durations, moduleId);
    return (await super.sort(files)).toSorted((a, b) => seconds(b) - seconds(a));
  }
}

const common = {
  // Files share a process: half of the time went into loading the same libraries again for each.
  isolate: false,
  // Lab files wait half of their time. How many start depends on the machine (lab/testRun/pressure.ts).
  maxWorkers: 9,
  // A test that is forgotten alone in its file, or that asserts nothing, proves nothing.
  allowOnly: false,
  // A busy machine takes its time.
  expect: { requireAssertions: true, poll: { timeout: 20_000 } },
} as const;

const setupFiles = [join(import.meta.dirname, "../lab/testRun/testFile.ts")];

// A host does its own work in seconds, on a busy machine in a minute or two.
const expectInLab = { ...common.expect, poll: { timeout: 180_000, interval: 200 } };
const inLab = { ...common, expect: expectInLab, setupFiles, testTimeout: 600_000, hookTimeout: 900_000 };

const longTests = "test/**/*.long.test.ts";

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          setupFiles,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/lab/**", longTests],
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          ...inLab,
          name: "lab",
          include: ["test/lab/**/*.test.ts"],
          exclude: [longTests],
        },
      },
      // The second tier: what explores widely, and the tests of the lab itself.
      {
        test: {
          ...inLab,
          name: "long",
          include: [longTests],
          exclude: leftOut(),
        },
      },
    ],
  },
});
