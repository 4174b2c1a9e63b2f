import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Serializing a dynamic provider needs a process of its own (worker threads have no trace events).
const pool = "forks";

/** Lab files that take minutes, the longest first: their sizes do not tell, and one that begins last is waited for. */
const long = [
  "gate/trouble",
  "gate/node",
  "orchestrator/killedLate",
  "orchestrator/killedEarly",
  "clouds/hetzner",
  "clouds/digitalocean",
  "retirement/deadServer",
  "orchestrator/faults",
  "orchestrator/wholeWay",
  "orchestrator/outOfSight",
  "orchestrator/large",
  "orchestrator/newServer",
  "retirement/wholeWay",
  "retirement/conditions",
  "retirement/killed",
  "retirement/twoPillars",
  "cutover/cutover",
  "clouds/digitaloceanFailures",
  "clouds/hetznerFailures",
  "node/login",
  "node/deploy",
  "gate/references",
].map((name) => `test/lab/${name}.test.ts`);

/** vitest's own order, by what the last run took where it is known, behind these. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const rank = ({ moduleId }: TestSpecification) => {
      const place = long.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? long.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => group(a) - group(b) || rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          pool,
          include: ["test/**/*.test.ts"],
          exclude: ["test/lab/**"],
          maxWorkers: 4,
          testTimeout: 40_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "lab",
          pool,
          include: ["test/lab/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
