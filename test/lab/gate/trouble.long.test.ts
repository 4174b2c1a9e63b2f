import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { faultsOn, healFaults, setFault } from "../../../lab/faults/index.ts";
import { onHost } from "../fixture.ts";
import { catchUp, expectSynced, livesThrough, progress, watchedGate } from "./watch.ts";

const none = "^sync: no answer from the node yet: ";

const stage = watchedGate();

describe("an RPC without a valid answer, at the gate", () => {
  // The unit tests of core/chain try the meaning of each other answer.
  it.each([
    ["frozen", "", /no answer within 15 s: the node is overloaded or frozen$/],
    ["wrong-service", "web", /the RPC's answer is not JSON: ".+"$/],
  ] as const)("waits through %s %s", async (fault, value, words) => {
    expect(await livesThrough(stage, [fault, value], new RegExp(none + words.source))).toHaveLength(1);
  });

  it("waits through a connection that is cut in the answer", async () => {
    await stage.lab.chain("PATCH", "/nodes/host1", { cutAnswer: true });
    expect(await stage.up.hears(new RegExp(none))).toMatch(/cut|closed|reset|socket|JSON|ECONNRESET/);
    await stage.lab.chain("PATCH", "/nodes/host1", { cutAnswer: false });
    await stage.up.hears(progress);
  });
});

describe("a host with problems, at the gate", () => {
  const refused = new RegExp(
    `${none}nothing listens on 127\\.0\\.0\\.1:35997, seen from 10\\.77\\.0\\.11: the node is down, restarts, or listens elsewhere \\(rpcAddress, rpcPort\\)$`,
  );

  // The node finds its peers for most of the time between two restarts.
  const answers = /^sync: .*(height \d+ of \d+|not enough peers)/;

  it.each([
    ["crash-loop", "1s", [refused]],
    // Not every five seconds: that is the gate's own beat, which would meet the node up each time.
    ["restart", "12s", [refused, answers, refused]],
    ["full-disk", "", [refused]],
    ["ssh-cut", "refused", [/root@10\.77\.0\.11:22: connect ECONNREFUSED/]],
    ["ssh-cut", "silent", [/no (connection to the node|answer) within 15 s/]],
  ] as const)("reports %s %s and waits until it is over", async (fault, value, words) => {
    expect(await livesThrough(stage, [fault, value], ...words)).toHaveLength(words.length);
  });

  it("a node that a full disk stopped has its data back", async () => {
    expect(await onHost(stage.host, "ls /root/.znn; findmnt /root/.znn || true")).toBe(
      "config.json\nconsensus\nnetwork-private-key\nnom\nsyrius\nwallet",
    );
    expect(await faultsOn(stage.lab, "host1")).toEqual([]);
  });

  const anew = /^sync: the ssh connection to 10\.77\.0\.11 had ended, and was made anew$/;

  it.each(["orderly", "power-cut"])("waits through a reboot (%s)", async (how) => {
    // A host that is back before the next look only costs the connection.
    const told = stage.up.hears(anew);
    await setFault(stage.lab, "host1", "reboot", how);
    expect(await told).toMatch(anew);
  });

  it("reconnects after an ssh connection ended", async () => {
    await setFault(stage.lab, "host1", "ssh-cut", "once");
    expect(await stage.up.hears(anew)).toMatch(anew);
  });

  it("continues after the operator's machine slept and lost its connection", async () => {
    await stage.up.run.freeze(true);
    try {
      await setFault(stage.lab, "host1", "ssh-cut", "once");
      await sleep(20_000);
    } finally {
      await stage.up.run.freeze(false);
    }
    expect(await stage.up.hears(anew)).toMatch(anew);
  });

  it("ends synced when the node is synced, and not before", async () => {
    await healFaults(stage.lab, "host1");
    await catchUp(stage.lab);
    await expectSynced(stage, stage.up);
  });
});
