import { describe, expect, test } from "vitest";
import { parseBridge } from "../../../../core/chain/bridge.ts";
import { judgeBridge, readHostBridge } from "../../../../core/orchestrator/checks/bridgeState.ts";
import { closedPort, fakeNode, loginTo, use } from "../../chain/fakes.ts";

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

  test("is unknown if the answer has another form", () => {
    const changes = [{ halted: "no" }, { unhaltedAt: -1 }, { compressedTssECDSAPubKey: "../../etc" }];
    for (const form of [null, {}, ...changes.map((each) => ({ ...info, ...each }))])
      expect(() => parseBridge(form)).toThrow("does not have the form {halted, unhaltedAt");
  });
});

const newest = { height: 1e6, timestamp: Math.floor(Date.now() / 1000), hash: "h", producer: "z1q" };
const old = { "ledger.getFrontierMomentum": newest };
const good = { ...old, "embedded.bridge.getBridgeInfo": info };
const late = { ...good, "ledger.getFrontierMomentum": { ...newest, timestamp: newest.timestamp - 600 } };
const none = { ...old, "embedded.bridge.getBridgeInfo": { ...info, compressedTssECDSAPubKey: "" } };

test("the first node that answers is asked for the bridge, and no node twice", async () => {
  const start = (results: object, host: string) => use(fakeNode({ ...results }, host));
  const [own, other] = [await start(good, "127.0.0.1"), await start(good, "127.0.0.6")];
  const ssh = loginTo({ port: 22, hostKey: "" });
  const read = (port: number, references: readonly string[]) =>
    readHostBridge({ node: { ssh, via: "direct", address: "127.0.0.1", port }, references });
  const last = `http://127.0.0.6:${other.port}`;
  expect(await read(own.port, [last])).toMatchObject({ known: true, state: 0 });
  expect(other.asked).toEqual([]);
  const bad = [await start(old, "127.0.0.3"), await start(late, "127.0.0.4"), await start(none, "127.0.0.5")];
  const [build, behind, without] = bad.map(({ port }, at) => `http://127.0.0.${at + 3}:${port}`);
  const [closed, self] = [await closedPort(), `http://localhost:${own.port}`];
  const references = [self, build, behind, without] as string[];
  expect(await read(closed, [...references, last])).toMatchObject({ known: true, state: 0 });
  own.asked.length = 0;
  expect(await read(closed, references)).toEqual({
    known: false,
    why: [
      `this host's node (127.0.0.1): connect ECONNREFUSED 127.0.0.1:${closed}`,
      `reference ${self}: it is this host itself`,
      `reference ${build}: the RPC answers with error -32601: the method embedded.bridge.getBridgeInfo does not exist/is not available`,
      `reference ${behind}: it is behind: its newest momentum, 1000000, is 10 min old`,
      `reference ${without}: it knows of no bridge`,
    ].join("; "),
  });
  expect(own.asked).toEqual([]);
});
