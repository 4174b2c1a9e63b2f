import { expect, test } from "vitest";
import type { ChainClient } from "../../../core/chain/chain.ts";
import type { Produced } from "../../../core/chain/chainAnswers.ts";
import type { NodeFault } from "../../../core/chain/reading.ts";
import { dropFigures, isAnswered, listLeftOut, readNode, readWholePage } from "../../../core/chain/reading.ts";
import { clientNamed, silent } from "./readings.ts";

const clock = Date.UTC(2026, 0, 2);
const momentum = (height: number, age = 0): Produced =>
  ({ height, timestamp: clock - age, hash: `h${height}`, producer: "z1q" }) as const;
const node = (age: number, changes: Partial<ChainClient> = {}) =>
  clientNamed("node", { newest: async () => ({ momentum: momentum(7, age), clock }), ...changes });

test.each<[number, NodeFault | undefined]>([
  [120_000, undefined],
  [120_001, { kind: "behind", why: "it is behind: its newest momentum, 7, is 2 min old" }],
  [-120_000, undefined],
  [-120_001, { kind: "ahead", why: "its newest momentum, 7, is 2 min in the future" }],
])("a momentum of %i ms is compared by the node's own clock", async (age, fault) => {
  let asked = false;
  const reading = await readNode(node(age), async () => {
    asked = true;
    return {};
  });
  expect([isAnswered(reading) ? undefined : reading.fault, asked]).toEqual([fault, fault === undefined]);
});

test.each<[string, ChainClient, string]>([
  ["hangs", clientNamed("node", { newest: () => new Promise(() => undefined) }), "no answer within 0.05 s"],
  ["fails later", node(0), "node was asked for a Pillar"],
])("a node that %s gives only a reason", async (_what, client, why) => {
  const reading = await readNode(client, async () => ({ pillar: await client.pillar("Anvil") }), 50);
  expect(reading).toEqual({ client, fault: { kind: "silent", why } });
});

test("a node gets a fault if it hides momentums", async () => {
  const page = (heights: readonly number[]) =>
    readWholePage(node(0, { momentums: async () => heights.map((height) => momentum(height)) }), 5, 7);
  expect(await page([5, 6, 7])).toEqual({ page: [5, 6, 7].map((height) => momentum(height)) });
  for (const odd of [[], [5, 7], [5, 7, 7], [4, 5, 6], [5, 6, 7, 8]])
    expect(await page(odd)).toEqual({ fault: { kind: "gap", why: expect.stringContaining("momentums from 5 to 7,") } });
});

test("notes name the nodes that are left out, and stay the same while figures change", () => {
  const answered = { client: clientNamed("b"), newest: momentum(7), clock };
  expect(listLeftOut([silent("http://a"), answered])).toEqual(["http://a is left out: ECONNREFUSED"]);
  const note = (name: string, height: number, hash: string, age: string) =>
    dropFigures(`reference http://${name}:35997 is left out: momentum ${height} is ${hash}, ${age} old`);
  expect(note("10.0.0.1", 7, "0123456789ab", "2 min")).toBe(note("10.0.0.1", 8, "abc456789abc", "3 min"));
  expect(note("10.0.0.1", 7, "ab1", "2 min")).not.toBe(note("10.0.0.2", 7, "ab1", "2 min"));
});
