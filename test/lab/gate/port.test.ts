import { describe, it } from "vitest";
import { catchUp, expectSynced, livesThrough, progress, watchedGate } from "./watch";

const none = "^sync: no answer from the node yet: ";

describe("an RPC that gives no good answer, at the gate", () => {
  const stage = watchedGate();

  it.each([
    ["rpc-down", "", /nothing listens on 127\.0\.0\.1:35997 of the host: the node restarts or is down$/],
    ["slow", "20s", /no answer within 15 s: the node is overloaded or frozen$/],
    ["frozen", "", /no answer within 15 s: the node is overloaded or frozen$/],
    ["wrong-service", "web", /the RPC's answer is not JSON: cut off, or another service on its port$/],
    ["wrong-service", "json", /another service answers on the RPC's port$/],
    ["wrong-service", "mail", /another service answers on the RPC's port, and speaks no HTTP$/],
  ] as const)("%s %s is told and waited through", async (fault, value, words) => {
    await livesThrough(stage, [fault, value], new RegExp(none + words.source));
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
    await stage.up.hears(new RegExp(`${none}.*${words}$`));
    await stage.lab.chain("PATCH", "/nodes/host1", { rawAnswer: null, cutAnswer: false });
    await stage.up.hears(progress);
  });

  it("ends synced when the node is, and not before", async () => {
    await catchUp(stage.lab);
    await expectSynced(stage, stage.up);
  });
});
