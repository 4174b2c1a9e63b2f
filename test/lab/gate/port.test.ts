import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Lab, LabHost } from "../../../lab/lab";
import type { LabStack } from "../../../lab/stack";
import { testLab, testStack } from "../fixture";
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

describe("an RPC that gives no good answer, at the gate", () => {
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

  it.each([
    ["rpc-down", "", /nothing listens on 127\.0\.0\.1:35997 of the host: the node restarts or is down$/],
    ["slow", "20s", /no answer within 15 s: the node is overloaded or frozen$/],
    ["frozen", "", /no answer within 15 s: the node is overloaded or frozen$/],
    ["wrong-service", "web", /the RPC's answer is not JSON: cut off, or another service on its port$/],
    ["wrong-service", "json", /another service answers on the RPC's port$/],
    ["wrong-service", "mail", /another service answers on the RPC's port, and speaks no HTTP$/],
  ] as const)("%s %s is told and waited through", async (fault, value, words) => {
    await livesThrough({ up, lab }, [fault, value], new RegExp(none + words.source));
  });

  it.each([
    ["403, the node refuses the Host header", { rawAnswer: { status: 403, body: "invalid host specified" } }],
    ["415, the node refuses the content type", { rawAnswer: { status: 415, body: "" } }],
    ["429, too many requests", { rawAnswer: { status: 429, body: "" } }],
    ["with error -32000: db", { rawAnswer: { status: 200, body: '{"error":{"code":-32000,"message":"db"}}' } }],
    ["gives an empty answer", { rawAnswer: { status: 200, body: "" } }],
    ["", { cutAnswer: true }],
  ])("an answer that is none is told and waited through: %s", async (words, settings) => {
    await lab.chain("PATCH", "/nodes/host1", settings);
    await up.hears(new RegExp(`${none}.*${words}$`));
    await lab.chain("PATCH", "/nodes/host1", { rawAnswer: null, cutAnswer: false });
    await up.hears(progress);
  });

  it("ends synced when the node is, and not before", async () => {
    await catchUp(lab);
    const { exitCode, output } = await up.run.end();
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    const { sync } = await stack.outputs<{ sync: { syncedAt: string } }>();
    expect(await wasSynced(lab, host, sync.syncedAt)).toBe(true);
  });
});
