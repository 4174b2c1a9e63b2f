import { rmSync } from "node:fs";
import fc from "fast-check";
import { expect } from "vitest";
import { expectNothingOf, hostile } from "../../hostile.ts";
import { CopyStage, type Place, test, usual } from "./copyStage.ts";

test("a chain copy does all its steps if the hosts answer correctly", async ({ stage }) => {
  stage.answer = (place) => (place === "arrivedPath" ? "more" : usual[place]);
  expect(await stage.failure()).toBe("");
  const steps = ["old chain_allow", "new chain_remove", "new chain_copy", "old chain_end_old", "new chain_end_new"];
  expect(stage.called).toEqual(expect.arrayContaining(steps));
  expect(stage.sent.join()).toContain("total_bytes\u00011000");
});

test("a chain copy sends no unchecked text of one host to the other", async () => {
  const property = fc.asyncProperty(
    hostile,
    fc.constantFrom(...(Object.keys(usual) as Place[])),
    async (word, place) => {
      const stage = new CopyStage();
      stage.answer = (at) => (at === place ? word : usual[at]);
      if (place === "error")
        stage.does.chain_swap = () => {
          throw new Error(word);
        };
      await stage.failure();
      rmSync(stage.directory, { recursive: true });
      expectNothingOf(word, stage.sent.join("\n"));
    },
  );
  const examples = (Object.keys(usual) as Place[]).map((place): [string, Place] => ["#e;$(id>/x)\n", place]);
  await fc.assert(property, { examples, numRuns: 150 });
}, 60_000);

test("sends no number that a script cannot parse", async ({ stage }) => {
  stage.answer = (place) => (place === "bytes" ? "9".repeat(400) : usual[place]);
  await stage.failure();
  expect(stage.sent.join()).not.toMatch(/Infinity|e\+|9{20}/);
});
