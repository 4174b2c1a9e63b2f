import { describe, expect, test } from "vitest";
import type { ChainClient } from "../../../core/chain/chain";
import type { Produced } from "../../../core/chain/chainAnswers";
import { createLeftOutNote, isAnswered, type NodeFault, readNode, readWholePage } from "../../../core/chain/reading";
import { clientNamed, silent } from "./readings";

const clock = Date.UTC(2026, 0, 2);
const momentum = (height: number, age = 0): Produced => ({
  height,
  timestamp: clock - age,
  hash: `h${height}`,
  producer: "z1q",
});
const node = (age: number, changes: Partial<ChainClient> = {}) =>
  clientNamed("node", { newest: async () => ({ momentum: momentum(7, age), clock }), ...changes });

describe("a node", () => {
  test("returns its newest momentum, its clock and the rest of the answer, and can be called again", async () => {
    const client = node(3000);
    const reading = await readNode(client, async ({ newest }) => ({ twice: newest.height * 2 }));
    expect(reading).toEqual({ client, newest: momentum(7, 3000), clock, twice: 14 });
    expect(isAnswered(reading)).toBe(true);
  });

  test.each<[string, number, NodeFault | undefined]>([
    ["two minutes are not old yet", 120_000, undefined],
    ["behind", 120_001, { kind: "behind", why: "it is behind: its newest momentum, 7, is 2 min old" }],
    ["two minutes ahead are none", -120_000, undefined],
    ["ahead", -120_001, { kind: "ahead", why: "its newest momentum, 7, is 2 min in the future" }],
  ])("is compared by its own clock: %s", async (_what, age, fault) => {
    let asked = false;
    const reading = await readNode(node(age), async () => {
      asked = true;
      return {};
    });
    expect(isAnswered(reading) ? undefined : reading.fault).toEqual(fault);
    expect(asked).toBe(fault === undefined);
  });

  test.each<[string, ChainClient, string]>([
    ["fails", clientNamed("node", { newest: () => Promise.reject(new Error("cut off")) }), "cut off"],
    ["hangs", clientNamed("node", { newest: () => new Promise(() => undefined) }), "no answer within 0.05 s"],
    ["fails later", node(0), "node was asked for a Pillar"],
  ])("gives only a reason if it %s", async (_what, client, why) => {
    const reading = await readNode(client, async () => ({ pillar: await client.pillar("Anvil") }), 50);
    expect(reading).toEqual({ client, fault: { kind: "silent", why } });
  });

  test("gets a fault if it hides momentums", async () => {
    const page = (heights: readonly number[]) =>
      readWholePage(node(0, { momentums: async () => heights.map((height) => momentum(height)) }), 5, 7);
    expect(await page([5, 6, 7])).toEqual({ page: [5, 6, 7].map((height) => momentum(height)) });
    for (const odd of [[], [5, 7], [5, 7, 7], [4, 5, 6], [5, 6, 7, 8]])
      expect(await page(odd)).toEqual({
        fault: { kind: "gap", why: "it does not return the momentums from 5 to 7, though it has them" },
      });
  });
});

test("names a node that is left out, with its reason", () => {
  expect(createLeftOutNote(silent("reference http://a"))).toEqual({
    key: "reference http://a ECONNREFUSED",
    text: "reference http://a is left out: ECONNREFUSED",
  });
  const behind = { client: clientNamed("a"), fault: { kind: "behind" as const, why: "it is behind" } };
  expect(createLeftOutNote(behind)).toEqual({ key: "a behind", text: "a is left out: it is behind" });
});
