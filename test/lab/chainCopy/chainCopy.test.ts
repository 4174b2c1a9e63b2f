import { afterAll, beforeAll, expect, test } from "vitest";
import type { NodeReport } from "../../../lab/doubles/chain";
import { ensurePackagedImage } from "../../../lab/images/packagedImage";
import type { Lab, LabHost } from "../../../lab/lab";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode";
import type { LabStack } from "../../../lab/stack/stack";
import { cli } from "../cli/fixture";
import { expectSuccess, onHost, pastPackages, testLab, testStack } from "../fixture";

let lab: Lab;
let old: LabHost;
let fresh: LabHost;
let stack: LabStack;

beforeAll(async () => {
  lab = await testLab();
  old = await lab.addHost("old", ensurePackagedImage);
  fresh = await lab.addHost("fresh", ensurePackagedImage);
  await lab.chain("PATCH", "/truth", { defaults: { startRefusedMs: 0, connectMs: 0 } });
  await setUpSyncedNode(lab, old);
  await pastPackages(lab, fresh);
  // By itself it would take hours.
  await lab.chain("PATCH", "/nodes/fresh", { behind: 20_000, rate: 2 });
  stack = await testStack(lab, fresh, {
    sync: {
      confirmations: 1,
      confirmSeconds: 0,
      from: "oldHost",
      oldHost: { address: old.address, hostKey: old.hostKey },
    },
  });
});
afterAll(async () => {
  await stack?.endRuns();
  await lab?.down();
});

const left =
  "ls -A /root/.znn | grep pillar-host; ls /var/lib/pillar-host 2> /dev/null | grep chain-copy; grep -l chain-copy /root/.ssh/authorized_keys; true";

test("the new node continues from the copy, and the old node never stopped", async () => {
  const process = await onHost(old, "systemctl show -p MainPID --value go-node");
  const output = await expectSuccess(stack.up());
  expect(output).toMatch(/chain copy: reads nom.* in \/root\/\.znn of/);
  expect(output).toMatch(/chain copy: the node runs with the copy and added momentum \d+, the same as the old host's/);
  expect(output).toMatch(/sync: synced at height \d+/);
  const reports = await lab.chain<NodeReport[]>("GET", "/nodes/fresh/reports");
  expect(reports.at(-1)?.synced).toBe(true);
  expect(await onHost(old, "systemctl show -p MainPID --value go-node")).toBe(process);
  for (const host of [old, fresh]) expect(await onHost(host, left)).toBe("");
  const events = await onHost(fresh, "cat /root/.znn/nom/torn 2> /dev/null || true");
  expect(events).toBe("");
  const { output: report } = await cli(stack, ["report", "prod"]);
  expect(report).toMatch(new RegExp(`chain copied from ${old.address}, up to momentum \\d+`));
  expect(report).toMatch(/- 1 MB in \d+ files, \d+ s$/m);
});

test("the next run copies nothing", async () => {
  const again = await expectSuccess(stack.up());
  expect(again).not.toContain("chain copy:");
});
