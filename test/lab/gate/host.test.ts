import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { faultsOn, healFaults, setFault } from "../../../lab/faults";
import { onHost } from "../fixture";
import { catchUp, expectSynced, livesThrough, progress, watchedGate } from "./watch";

const none = "^sync: no answer from the node yet: ";

describe("a host that has trouble, at the gate", () => {
  const stage = watchedGate();

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
    await livesThrough(stage, [fault, value], ...words);
  });

  it("a node that a full disk stopped has its data again", async () => {
    expect(await onHost(stage.host, "ls /root/.znn; findmnt /root/.znn || true")).toBe(
      "config.json\nnetwork-private-key\nnom\nsyrius\nwallet",
    );
    expect(await faultsOn(stage.lab, "host1")).toEqual([]);
  });

  const anew = /^sync: the ssh connection to 10\.77\.0\.11 had ended, and was made anew$/;

  it.each(["orderly", "power-cut"])("a reboot (%s) is waited through", async (how) => {
    // A host that is back before the next look only costs the connection.
    const told = stage.up.hears(anew);
    await setFault(stage.lab, "host1", "reboot", how);
    await told;
  });

  it("an ssh connection that ended is made anew", async () => {
    await setFault(stage.lab, "host1", "ssh-cut", "once");
    await stage.up.hears(anew);
  });

  it("an operator's machine that slept, and lost its connection meanwhile, goes on", async () => {
    await stage.up.run.freeze(true);
    try {
      await setFault(stage.lab, "host1", "ssh-cut", "once");
      await sleep(20_000);
    } finally {
      await stage.up.run.freeze(false);
    }
    await stage.up.hears(anew);
  });

  it("ends synced when the node is, and not before", async () => {
    await healFaults(stage.lab, "host1");
    await catchUp(stage.lab);
    await expectSynced(stage, stage.up);
  });
});
