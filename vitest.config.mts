import { defineConfig } from "vitest/config";

// Serializing a dynamic provider needs a process of its own (worker threads have no trace events).
const pool = "forks";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          pool,
          include: ["test/**/*.test.ts"],
          exclude: ["test/lab/**"],
          maxWorkers: 4,
          testTimeout: 20_000,
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
