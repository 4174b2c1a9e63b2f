import { describe, expect, test } from "vitest";
import { parseBridge } from "../../../../core/chain/bridge.ts";
import { createChainClient } from "../../../../core/chain/chain.ts";
import type { RpcAnswer } from "../../../../core/chain/jsonRpc.ts";
import { askInTurn, judgeBridge } from "../../../../core/orchestrator/checks/bridgeState.ts";

// The texts are from the node's own tests (go-zenon, vm/embedded/tests/z_bridge_test.go).
const info = {
  administrator: "z1qqaswvt0e3cc5sm7lygkyza9ra63cr8e6zre09",
  compressedTssECDSAPubKey: "AsAQx1M3LVXCuozDOqO5b9adj/PItYgwZFG/xTDBiZzT",
  decompressedTssECDSAPubKey:
    "BMAQx1M3LVXCuozDOqO5b9adj/PItYgwZFG/xTDBiZzTnQAT1qOPAkuPzu6yoewss9XbnTmZmb9JQNGXmkPYtK4=",
  allowKeyGen: false,
  halted: false,
  unhaltedAt: 1000,
  unhaltDurationInMomentums: 2160,
  tssNonce: 0,
  metadata: "{}",
};
const judge = (changes: object, height = 14_900_000) =>
  judgeBridge(parseBridge({ ...info, ...changes }), height, "ref");
const still = "the bridge is still halted: the unhalt of momentum 1000 takes effect at momentum 3161";

describe("the bridge's state on the chain", () => {
  test.each([
    [{}, 14_900_000, 0, "the bridge is live"],
    [{ halted: true }, 14_900_000, 2, "the bridge is halted"],
    [{}, 3160, 2, `${still}, in about 1 min`],
    [{}, 3161, 0, "the bridge is live"],
    [{}, 1000, 2, `${still}, in about 411 min`],
    [{ allowKeyGen: true }, 14_900_000, 1, "a key generation is at work (allowKeyGen)"],
    // An orchestrator begins one when it is live.
    [{ allowKeyGen: true, halted: true }, 14_900_000, 2, "the bridge is halted"],
  ])("with %j at height %i is %i", (changes, height, state, words) => {
    const why = `ref says (embedded.bridge.getBridgeInfo): ${words}`;
    expect(judge(changes, height)).toEqual({ known: true, state, key: info.compressedTssECDSAPubKey, why });
  });

  test("is unknown on a chain without a bridge, or if the answer has another form", () => {
    const never = { compressedTssECDSAPubKey: "", decompressedTssECDSAPubKey: "", unhaltedAt: 0 };
    expect(judge(never, 100)).toEqual({ known: false, why: "ref knows of no bridge" });
    const changes = [{ halted: "no" }, { unhaltedAt: -1 }, { compressedTssECDSAPubKey: "../../etc" }];
    for (const form of [null, {}, ...changes.map((each) => ({ ...info, ...each }))])
      expect(() => parseBridge(form)).toThrow("does not have the form {halted, unhaltedAt");
  });
});

const node = (name: string, answers: Record<string, unknown>) => {
  const asked: string[] = [];
  const call = async (method: string): Promise<RpcAnswer> => {
    asked.push(method);
    if (answers.fault) throw new Error("ECONNREFUSED");
    const result = answers[method];
    const error = { code: -32601, message: `the method ${method} does not exist/is not available` };
    return { status: 200, body: JSON.stringify(result === undefined ? { error } : { result }) };
  };
  return { asked, client: createChainClient(name, call, () => undefined) };
};
const newest = { height: 1e6, timestamp: Math.floor(Date.now() / 1000), hash: "h", producer: "z1q" };
const old = { "ledger.getFrontierMomentum": newest };
const good = { ...old, "embedded.bridge.getBridgeInfo": info };
const late = { ...good, "ledger.getFrontierMomentum": { ...newest, timestamp: newest.timestamp - 600 } };

test("the first node that answers is asked for the bridge", async () => {
  const [own, other] = [node("own", good), node("other", good)];
  expect(await askInTurn([own.client, other.client])).toMatchObject({ known: true, state: 0 });
  expect(other.asked).toEqual([]);
  const bad = [node("old build", old), node("broken", { fault: true }), node("behind", late)];
  const clients = bad.map(({ client }) => client);
  expect(await askInTurn([...clients, other.client])).toMatchObject({ known: true, state: 0 });
  expect(await askInTurn(clients)).toEqual({
    known: false,
    why: [
      "old build: the RPC answers with error -32601: the method embedded.bridge.getBridgeInfo does not exist/is not available",
      "broken: ECONNREFUSED",
      "behind: it is behind: its newest momentum, 1000000, is 10 min old",
    ].join("; "),
  });
});
