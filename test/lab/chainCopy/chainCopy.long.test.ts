import { expect, test } from "vitest";
import type { NodeReport } from "../../../lab/doubles/chain";
import { cli } from "../cli/fixture";
import { expectSuccess, onHost } from "../fixture";
import { copyStage, leftOn, nodePid } from "./copyStage";

const stage = copyStage({});

test("the old host removes the links of a killed run by itself, also after a reboot", async () => {
  const { old, stack } = stage;
  const run = await stack.begin();
  await run.hears((output) => /chain copy: snapshot of/.exec(output)?.[0], "the snapshot");
  await run.kill();
  await stack.cancel();
  const end = "pillar-host-chain-copy-end";
  await onHost(old, `systemctl stop ${end}`);
  expect(await leftOn(old)).toContain(".pillar-host-snapshot");
  await old.reboot();
  // The killed run's provider, which renews the lease for some seconds more, lost its connection by now.
  await onHost(old, "touch -d '2000 seconds ago' /var/lib/pillar-host/chain-copy.owner");
  await expect.poll(() => leftOn(old), { timeout: 60_000, interval: 1000 }).toBe("");
  expect(
    await onHost(old, `systemctl list-unit-files --no-legend '${end}*'; ls /etc/systemd/system | grep ${end}; true`),
  ).toBe("");
  expect(await onHost(old, "systemctl is-active go-node")).toContain("active");
});

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
