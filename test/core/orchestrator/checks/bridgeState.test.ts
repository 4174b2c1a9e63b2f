import { describe, expect, test } from "vitest";
import { parseBridge } from "../../../../core/chain/bridge";
import { createChainClient } from "../../../../core/chain/chain";
import type { RpcAnswer } from "../../../../core/chain/jsonRpc";
import { askInTurn, judgeBridge } from "../../../../core/orchestrator/checks/bridgeState";

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
const said = (changes: object, height = 14_900_000) => judgeBridge(parseBridge({ ...info, ...changes }), height, "ref");
const says = (words: string) => `ref says (embedded.bridge.getBridgeInfo): ${words}`;

describe("the bridge's state on the chain", () => {
  test("is live, halted, still halted after an unhalt, or in a key generation", () => {
    expect(said({})).toMatchObject({ known: true, state: 0, why: says("the bridge is live") });
    expect(said({ halted: true })).toMatchObject({ known: true, state: 2, why: says("the bridge is halted") });
    const words = "the bridge is still halted: the unhalt of momentum 1000 takes effect at momentum 3161";
    expect(said({}, 3160)).toMatchObject({ known: true, state: 2, why: says(`${words}, in about 1 min`) });
    expect(said({}, 3161)).toMatchObject({ state: 0 });
    expect(said({}, 1000)).toMatchObject({ state: 2, why: says(`${words}, in about 411 min`) });
    expect(said({ allowKeyGen: true })).toMatchObject({ state: 1 });
    // An orchestrator begins one when it is live.
    expect(said({ allowKeyGen: true, halted: true })).toMatchObject({ state: 2 });
  });

  test("comes with the bridge's key, which names a share's file", () => {
    expect(said({})).toMatchObject({ key: info.compressedTssECDSAPubKey });
    expect(() => parseBridge({ ...info, compressedTssECDSAPubKey: "../../etc" })).toThrow("does not have the form");
  });

  test("is unknown on a chain without a bridge", () => {
    const never = { compressedTssECDSAPubKey: "", decompressedTssECDSAPubKey: "", unhaltedAt: 0 };
    expect(said(never, 100)).toEqual({ known: false, why: "ref knows of no bridge" });
  });

  test.each([null, {}, { ...info, halted: "no" }, { ...info, unhaltedAt: -1 }])(
    "is unknown if the answer has another form: %j",
    (form) => {
      expect(() => parseBridge(form)).toThrow("does not have the form {halted, unhaltedAt");
    },
  );
});

describe("the node that is asked for the bridge", () => {
  const node = (name: string, answers: Record<string, unknown>) => {
    const asked: string[] = [];
    const call = async (method: string): Promise<RpcAnswer> => {
      asked.push(method);
      const result = answers[method];
      const error = { code: -32601, message: `the method ${method} does not exist/is not available` };
      return { status: 200, body: JSON.stringify(result === undefined ? { error } : { result }) };
    };
    return { asked, client: createChainClient(name, call, () => undefined) };
  };
  const newest = { height: 1e6, timestamp: Math.floor(Date.now() / 1000), hash: "h", producer: "z1q" };
  const old = { "ledger.getFrontierMomentum": newest };
  const good = { "embedded.bridge.getBridgeInfo": info, "ledger.getFrontierMomentum": newest };

  test("is the own node alone if it answers", async () => {
    const [own, other] = [node("own", good), node("other", good)];
    expect(await askInTurn([own.client, other.client])).toMatchObject({ known: true, state: 0 });
    expect(other.asked).toEqual([]);
  });

  test("is the next one if it lacks the method or does not answer", async () => {
    const broken = createChainClient(
      "broken",
      () => Promise.reject(new Error("ECONNREFUSED")),
      () => undefined,
    );
    const halted = { ...good, "embedded.bridge.getBridgeInfo": { ...info, halted: true } };
    expect(await askInTurn([node("old build", old).client, broken, node("other", halted).client])).toMatchObject({
      state: 2,
    });
    expect(await askInTurn([node("old build", old).client, broken])).toEqual({
      known: false,
      why:
        "old build: the RPC answers with error -32601: the method embedded.bridge.getBridgeInfo does not exist/is not available; " +
        "broken: ECONNREFUSED",
    });
  });

  test("is the next one if it is behind", async () => {
    const late = { ...newest, timestamp: newest.timestamp - 600 };
    const behind = node("behind", { ...good, "ledger.getFrontierMomentum": late });
    expect(await askInTurn([behind.client])).toEqual({
      known: false,
      why: "behind: it is behind: its newest momentum, 1000000, is 10 min old",
    });
    expect(behind.asked).toEqual(["ledger.getFrontierMomentum"]);
  });
});
