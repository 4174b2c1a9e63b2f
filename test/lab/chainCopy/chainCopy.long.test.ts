import { expect, test } from "vitest";
import type { NodeReport } from "../../../lab/doubles/chain";
import { cli } from "../cli/fixture";
import { expectSuccess, onHost } from "../fixture";
import { copyStage, leftOn, nodePid } from "./copyStage";

const stage = copyStage({});

test("the new node continues from the copy, and the old node never stopped", async () => {
  const { lab, old, fresh, stack } = stage;
  const process = await nodePid(old);
  const output = await expectSuccess(stack.up());
  expect(output).toMatch(/chain copy: reads nom.* in \/root\/\.znn of/);
  expect(output).toMatch(/chain copy: the node runs with the copy and added momentum \d+, the same as the old host's/);
  expect(output).toMatch(/sync: synced at height \d+/);
  const reports = await lab.chain<NodeReport[]>("GET", "/nodes/fresh/reports");
  expect(reports.at(-1)?.synced).toBe(true);
  expect(await nodePid(old)).toBe(process);
  for (const host of [old, fresh]) expect(await leftOn(host)).toBe("");
  const events = await onHost(fresh, "cat /root/.znn/nom/torn 2> /dev/null || true");
  expect(events).toBe("");
  const { output: report } = await cli(stack, ["report", "prod"]);
  expect(report).toMatch(new RegExp(`chain copied from ${old.address}, up to momentum \\d+`));
  expect(report).toMatch(/- 1 MB in \d+ files, \d+ s$/m);
});

test("the next run copies nothing", async () => {
  const again = await expectSuccess(stage.stack.up());
  expect(again).not.toContain("chain copy:");
});
