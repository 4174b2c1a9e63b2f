import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { faultsOn, healFaults, setFault } from "../../../lab/faults";
import { onHost } from "../fixture";
import { catchUp, expectSynced, livesThrough, progress, watchedGate } from "./watch";

const none = "^sync: no answer from the node yet: ";

const stage = watchedGate();

describe("an RPC that gives no good answer, at the gate", () => {
  it.each([
    ["rpc-down", "", /nothing listens on 127\.0\.0\.1:35997 of the host: the node restarts or is down$/],
    ["slow", "20s", /no answer within 15 s: the node is overloaded or frozen$/],
    ["frozen", "", /no answer within 15 s: the node is overloaded or frozen$/],
    ["wrong-service", "web", /the RPC's answer is not JSON: cut off, or another service on its port$/],
    ["wrong-service", "json", /another service answers on the RPC's port$/],
    ["wrong-service", "mail", /another service answers on the RPC's port, and speaks no HTTP$/],
  ] as const)("%s %s is told and waited through", async (fault, value, words) => {
    expect(await livesThrough(stage, [fault, value], new RegExp(none + words.source))).toHaveLength(1);
  });

  it.each([
    ["403, the node refuses the Host header", { rawAnswer: { status: 403, body: "invalid host specified" } }],
    ["415, the node refuses the content type", { rawAnswer: { status: 415, body: "" } }],
    ["429, too many requests", { rawAnswer: { status: 429, body: "" } }],
    ["with error -32000: db", { rawAnswer: { status: 200, body: '{"error":{"code":-32000,"message":"db"}}' } }],
    ["gives an empty answer", { rawAnswer: { status: 200, body: "" } }],
    ["", { cutAnswer: true }],
  ])("an answer that is none is told and waited through: %s", async (words, settings) => {
    await stage.lab.chain("PATCH", "/nodes/host1", settings);
    expect(await stage.up.hears(new RegExp(`${none}.*${words}$`))).toContain(words);
    await stage.lab.chain("PATCH", "/nodes/host1", { rawAnswer: null, cutAnswer: false });
    await stage.up.hears(progress);
  });
});

describe("a host that has trouble, at the gate", () => {
  const refused = new RegExp(
    `${none}nothing listens on 127\\.0\\.0\\.1:35997 of the host: the node restarts or is down$`,
  );

  it.each([
    ["crash-loop", "1s", [refused]],
    // Not every five seconds: that is the gate's own beat, which would meet the node up each time.
    ["restart", "6s", [refused, progress, refused]],
    ["full-disk", "", [refused]],
    ["ssh-cut", "refused", [/root@10\.77\.0\.11:22: connect ECONNREFUSED/]],
    ["ssh-cut", "silent", [/no (connection to the node|answer) within 15 s/]],
  ] as const)("%s %s is told and waited through", async (fault, value, words) => {
    expect(await livesThrough(stage, [fault, value], ...words)).toHaveLength(words.length);
  });

  it("a node that a full disk stopped has its data again", async () => {
    expect(await onHost(stage.host, "ls /root/.znn; findmnt /root/.znn || true")).toBe(
      "config.json\nconsensus\nnetwork-private-key\nnom\nsyrius\nwallet",
    );
    expect(await faultsOn(stage.lab, "host1")).toEqual([]);
  });

  const anew = /^sync: the ssh connection to 10\.77\.0\.11 had ended, and was made anew$/;

  it.each(["orderly", "power-cut"])("a reboot (%s) is waited through", async (how) => {
    // A host that is back before the next look only costs the connection.
    const told = stage.up.hears(anew);
    await setFault(stage.lab, "host1", "reboot", how);
    expect(await told).toMatch(anew);
  });

  it("an ssh connection that ended is made anew", async () => {
    await setFault(stage.lab, "host1", "ssh-cut", "once");
    expect(await stage.up.hears(anew)).toMatch(anew);
  });

  it("an operator's machine that slept, and lost its connection meanwhile, goes on", async () => {
    await stage.up.run.freeze(true);
    try {
      await setFault(stage.lab, "host1", "ssh-cut", "once");
      await sleep(20_000);
    } finally {
      await stage.up.run.freeze(false);
    }
    expect(await stage.up.hears(anew)).toMatch(anew);
  });

  it("ends synced when the node is, and not before", async () => {
    await healFaults(stage.lab, "host1");
    await catchUp(stage.lab);
    await expectSynced(stage, stage.up);
  });
});
