import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultsOn, healFaults, setFault } from "../../../lab/faults";
import type { Lab, LabHost } from "../../../lab/lab";
import type { LabStack } from "../../../lab/stack";
import { onHost, testLab, testStack } from "../fixture";
import {
  catchUp,
  endRuns,
  keepsItsDistance,
  livesThrough,
  progress,
  type WatchedUp,
  wasSynced,
  watchUp,
} from "./watch";

const none = "^sync: no answer from the node yet: ";

describe("a host that has trouble, at the gate", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;
  let up: WatchedUp;

  beforeAll(async () => {
    lab = await testLab();
    await keepsItsDistance(lab);
    host = await lab.addHost("host1");
    stack = await testStack(lab, host);
    up = await watchUp(stack);
    await up.hears(progress, 240);
    // Without a rate it looks every ten seconds.
    await sleep(15_000);
  });
  afterAll(async () => {
    await endRuns();
    await lab?.down();
  });

  const refused = new RegExp(
    `${none}nothing listens on 127\\.0\\.0\\.1:35997 of the host: the node restarts or is down$`,
  );

  it.each([
    ["crash-loop", "1s", [refused]],
    ["restart", "5s", [refused, progress, refused]],
    ["full-disk", "", [refused]],
    ["ssh-cut", "refused", [/root@10\.77\.0\.11:22: connect ECONNREFUSED/]],
    ["ssh-cut", "silent", [/no (connection to the node|answer) within 15 s/]],
  ] as const)("%s %s is told and waited through", async (fault, value, words) => {
    await livesThrough({ up, lab }, [fault, value], ...words);
  });

  it("a node that a full disk stopped has its data again", async () => {
    expect(await onHost(host, "ls /root/.znn; findmnt /root/.znn || true")).toBe(
      "config.json\nnetwork-private-key\nnom\nsyrius\nwallet",
    );
    expect(await faultsOn(lab, "host1")).toEqual([]);
  });

  const anew = /^sync: the ssh connection to 10\.77\.0\.11 had ended, and was made anew$/;

  it.each(["orderly", "power-cut"])("a reboot (%s) is waited through", async (how) => {
    // A host that is back before the next look only costs the connection.
    const told = up.hears(anew);
    await setFault(lab, "host1", "reboot", how);
    await told;
  });

  it("an ssh connection that ended is made anew", async () => {
    await setFault(lab, "host1", "ssh-cut", "once");
    await up.hears(anew);
  });

  it("an operator's machine that slept, and lost its connection meanwhile, goes on", async () => {
    await up.run.freeze(true);
    try {
      await setFault(lab, "host1", "ssh-cut", "once");
      await sleep(20_000);
    } finally {
      await up.run.freeze(false);
    }
    await up.hears(anew);
  });

  it("ends synced when the node is, and not before", async () => {
    await healFaults(lab, "host1");
    await catchUp(lab);
    const { exitCode, output } = await up.run.end();
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    const { sync } = await stack.outputs<{ sync: { syncedAt: string } }>();
    expect(await wasSynced(lab, host, sync.syncedAt)).toBe(true);
  });
});
