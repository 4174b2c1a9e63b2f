import { expect, test } from "vitest";
import type { ChainClient } from "../../../core/chain/chain.ts";
import type { Reading } from "../../../core/chain/reading.ts";
import type { ChainExcerpt } from "../../../core/chain/sameChain.ts";
import { compareChains, findFirstFork, pickMajorityNode, readSharedHeights } from "../../../core/chain/sameChain.ts";
import { block, clientNamed, silent } from "./readings.ts";

const shown = (height: number, chain = "h", ...older: number[]): ChainExcerpt => ({
  newest: block(height, chain),
  older: older.map((at) => block(at, chain)),
});

test.each<[string, ChainExcerpt, ChainExcerpt, string]>([
  ["of one height and hash", shown(7), shown(7), "same"],
  ["of one height, on a fork", shown(7), shown(7, "f"), "other"],
  ["one behind the other", shown(7), shown(9000, "h", 7), "same"],
  ["one far behind the other, on a fork", shown(7, "f"), shown(9000, "h", 7), "other"],
  ["one without its momentum at that height", shown(7), shown(9000), "unsaid"],
])("compares two nodes: %s", (_what, one, other, verdict) => {
  expect(compareChains(one, other)).toEqual({ verdict, height: 7 });
  expect(compareChains(other, one)).toEqual({ verdict, height: 7 });
});

test("finds the first fork, and the node with the largest majority", () => {
  const [one, two, fork] = [shown(7), shown(7), shown(7, "f")];
  expect(findFirstFork([one, two])).toBeUndefined();
  expect(findFirstFork([one, two, fork])).toMatchObject({ verdict: "other", height: 7, one, other: fork });
  expect(pickMajorityNode([fork, one, two])).toBe(one);
  expect(pickMajorityNode([])).toBeUndefined();
});

const momentum = (height: number) => ({ ...block(height), timestamp: 1, producer: "z1q" });
const at = (name: string, height: number, changes: Partial<ChainClient> = {}): Reading<ChainExcerpt> => ({
  client: clientNamed(name, changes),
  clock: 1,
  newest: momentum(height),
});

test("the shared heights: reads only the lower node's height, from the higher node", async () => {
  const showing = { momentums: async (from: number) => [momentum(from)] };
  const [low, high, gone] = await readSharedHeights([at("a", 7), at("b", 9, showing), silent("c")], 1000);
  expect([low, high]).toMatchObject([{ older: [] }, { older: [block(7)] }]);
  expect(gone).toMatchObject({ fault: { kind: "silent" } });
});

const gap = { kind: "gap", why: expect.stringContaining("from 7 to 7") };
test.each<[string, ChainClient["momentums"], object]>([
  ["another height", async () => [momentum(8)], gap],
  ["no momentum", async () => [], gap],
  ["an error", () => Promise.reject(new Error("no such method")), { kind: "silent", why: "no such method" }],
  ["no answer", () => new Promise(() => undefined), { kind: "silent", why: "no answer within 0.02 s" }],
])("the shared heights: leaves out a node that returns %s", async (_what, momentums, fault) => {
  const [, high] = await readSharedHeights([at("a", 7), at("b", 9, { momentums })], 20);
  expect(high).toMatchObject({ client: { name: "b" }, fault });
});
