import { afterAll, beforeAll } from "vitest";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import type { LabStack } from "../../../lab/stack/stack.ts";
import { onHost, pastPackages, testLab, testStack } from "../fixture.ts";

/** Gate settings with which one proof of sync is enough. */
export const gate = { confirmations: 1, confirmSeconds: 0 };

/** Returns the settings of a copy from this host. */
export const copyFrom = ({ address, hostKey }: LabHost, sync: object) => ({
  oldHost: { address, hostKey },
  sync: { from: "oldHost", ...sync },
});

/** Returns the node's main process: it may not change. */
export const nodePid = (host: LabHost) => onHost(host, "systemctl show -p MainPID --value go-node");

/** Lists the files that a copy has left on a host. */
export const leftOn = (host: LabHost) =>
  onHost(
    host,
    "ls -A /root/.znn | grep pillar-host; ls /var/lib/pillar-host 2> /dev/null | grep chain-copy; grep -l chain-copy /root/.ssh/authorized_keys; true",
  );

/**
 * Creates a synced old host, a new one whose own sync would take hours, and its stack, which copies the chain, before
 * the tests of a file; removes them after the tests.
 */
export function copyStage(sync: object, prepare: (host: LabHost) => Promise<unknown> = async () => undefined) {
  const stage = {} as { lab: Lab; old: LabHost; fresh: LabHost; stack: LabStack };
  beforeAll(async () => {
    stage.lab = await testLab();
    stage.old = await stage.lab.addHost("old", ensurePackagedImage);
    stage.fresh = await stage.lab.addHost("fresh", ensurePackagedImage);
    await stage.lab.chain("PATCH", "/truth", { defaults: { startRefusedMs: 0 } });
    await setUpSyncedNode(stage.lab, stage.old);
    await prepare(stage.old);
    await pastPackages(stage.lab, stage.fresh);
    await prepare(stage.fresh);
    await stage.lab.chain("PATCH", "/nodes/fresh", { behind: 20_000, rate: 2 });
    stage.stack = await testStack(stage.lab, stage.fresh, copyFrom(stage.old, { ...gate, ...sync }));
  });
  afterAll(async () => {
    await stage.stack?.endRuns();
    await stage.lab?.down();
  });
  return stage;
}
