import { expect, test } from "vitest";
import type { NodeReport } from "../../../lab/doubles/chain/index.ts";
import type { LabHost } from "../../../lab/lab.ts";
import { cli } from "../cli/fixture.ts";
import { expectSuccess, onHost, reconfigure } from "../fixture.ts";
import { copyFrom, copyStage, gate, leftOn, nodePid } from "./copyStage.ts";

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
  // The killed run's provider may renew the lease for some seconds more.
  const left = async () => {
    await onHost(old, `cd /var/lib/pillar-host && sed -i 's/ [0-9]* / 1 /' chain-copy.lock; true`);
    return leftOn(old);
  };
  await expect.poll(left, { interval: 1000 }).toBe("");
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
  const { output: report } = await cli(stack, ["report", "prod", "--json"]);
  expect(report).toMatch(new RegExp(`chain copied from ${old.address}, up to momentum \\d+`));
  expect(report).toMatch(/"1 MB in \d+ files, \d+ s"/);
});

test("the next run copies nothing", async () => {
  const again = await expectSuccess(stage.stack.up());
  expect(again).not.toContain("chain copy:");
});

const keys = (host: LabHost) =>
  onHost(host, "cd /root/.znn && find wallet config.json network-private-key -type f -exec sha256sum {} + | sort");

test("a host past its gate whose node does not start gets the chain again, once the operator confirms it", async () => {
  const { lab, old, fresh, stack } = stage;
  const before = await keys(fresh);
  await lab.chain("PATCH", "/nodes/fresh", { cacheMs: 0 });
  const tear = "mkdir -p /root/.znn/cache && echo 99999999 > /root/.znn/cache/000003.log";
  await onHost(fresh, `systemctl stop go-node && ${tear}; systemctl start go-node; true`);
  // On a slow machine the unit never reaches systemd's limit of starts, and stays activating.
  await expect.poll(() => onHost(fresh, "journalctl -u go-node -n 20 -o cat")).toContain("can't rollback cache");

  const asks = await expectSuccess(stack.up());
  expect(asks).not.toContain("chain copy:");
  expect(asks).toContain("cd /root/.znn && rm -rf nom consensus cache network; systemctl start go-node");
  const [line = "", word] = /pulumi config set --path pillar-host:sync\.copyAgain (\d+) -s prod/.exec(asks) ?? [];
  expect((await cli(stack, ["status", "prod"])).output).toContain(line);

  await reconfigure(stack, fresh, copyFrom(old, { ...gate, stallMinutes: 0.1, copyAgain: Number(word) }));
  const output = await expectSuccess(stack.up());
  expect(output).toContain("chain copy: the node does not answer, for 6 s; the copy of its chain is confirmed");
  expect(output).toContain("chain copy: the node runs with the copy and added momentum");
  const withdraw = "Remove it: pulumi config rm --path pillar-host:sync.copyAgain -s prod";
  expect(output).toContain(`the confirmation was used. ${withdraw}`);
  for (const host of [old, fresh]) expect(await leftOn(host)).toBe("");
  expect(await keys(fresh)).toBe(before);
  expect((await cli(stack, ["report", "prod", "--json"])).output).toContain(`confirmed by sync.copyAgain ${word}`);

  const process = await nodePid(fresh);
  const again = await expectSuccess(stack.up());
  expect(again).not.toContain("chain copy:");
  expect(again).toContain(withdraw);
  expect(await nodePid(fresh)).toBe(process);
});
