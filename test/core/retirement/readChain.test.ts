import { describe, expect, test } from "vitest";
import type { ChainClient } from "../../../core/chain/chain.ts";
import type { NodeFault } from "../../../core/chain/reading.ts";
import { type ChainReading, hasProducedSince, readChain } from "../../../core/retirement/readChain.ts";
import { silent } from "../chain/readings.ts";
import { runs, smallChain } from "./smallChain.ts";

const network = { momentum: 1000, tickMomentums: 12 };
const question = { pillar: "Anvil", oldProducer: "own", newProducer: "next", network, epoch: 50_000 };
const read = (client: ChainClient, now: number, recorded?: { height: number; hash: string }) =>
  readChain(client, { ...question, recorded }, now);
const switched = runs(["own", 60], ["next", 40]);

describe("a node's answer about the chain", () => {
  test("has the Pillar and the newest momentum of each address", async () => {
    const client = smallChain(switched);
    const newest = { height: 100, timestamp: 99_000, hash: "h100", producer: "next" };
    const own = { height: 60, timestamp: 59_000, hash: "h60", producer: "own" };
    expect(await read(client, 99_000, { height: 7, hash: "h7" })).toEqual({
      client,
      newest,
      clock: 99_000,
      alternate: false,
      patience: 48_000,
      pillar: expect.objectContaining({ name: "Anvil", producerAddress: "next" }),
      last: { own, successor: newest, registered: newest },
      recent: Array.from({ length: 100 }, (_, i) => ({ height: i + 1, hash: `h${i + 1}` })),
    });
    // It keeps only the momentums that are compared.
    const answer = await read(smallChain(runs(["next", 300]), { pillar: async () => null }), 299_000);
    expect(answer).toMatchObject({ recent: { length: 128, 127: { height: 300 } }, pillar: null });
  });

  test.each<[string, readonly string[], boolean]>([
    ["before the switch", runs(["own", 100]), false],
    ["after the switch", switched, false],
    ["two recent switches", runs(["own", 60], ["next", 10], ["own", 10], ["next", 20]), true],
    ["two earlier switches", runs(["own", 20], ["next", 10], ["own", 10], ["next", 60]), false],
    ["two producers at once", Array.from({ length: 100 }, (_, at) => (at % 2 ? "next" : "own")), true],
  ])("detects alternating producers: %s", async (_what, producers, alternate) => {
    expect(await read(smallChain(producers), (producers.length - 1) * 1000)).toMatchObject({ alternate });
  });

  const newest = (age: number, clock: number) => {
    const momentum = { height: 100, timestamp: clock - age, hash: "h100", producer: "next" };
    return { newest: async () => ({ momentum, clock }) };
  };
  const skip = async (from: number, count: number) =>
    (await smallChain(switched).momentums(from, count)).filter(({ height }) => height !== 60);
  const gap = "it does not return the momentums from 1 to 100, though it has them";
  test.each<[NodeFault["kind"], string, Partial<ChainClient>, number]>([
    ["behind", "it is behind: its newest momentum, 100, is 2 min old", newest(121_000, 1e9), 1e9],
    // By this machine's clock: the node may have turned its own back.
    ["behind", "it is behind: its newest momentum, 100, is 15 min old", newest(0, 1e9), 1e9 + 901_000],
    ["ahead", "its newest momentum, 100, is 15 min in the future", newest(0, 1e9), 1e9 - 901_000],
    ["silent", "ECONNRESET", { pillar: () => Promise.reject(new Error("ECONNRESET")) }, 99_000],
    ["gap", gap, { momentums: async () => [] }, 99_000],
    ["gap", gap, { momentums: skip }, 99_000],
  ])("leaves out a node that is %s: %s", async (kind, why, changes, now) => {
    const client = smallChain(switched, changes);
    expect(await read(client, now)).toEqual({ client, fault: { kind, why } });
  });

  test("tolerates clocks that are some minutes off", async () => {
    const client = smallChain(switched, newest(119_000, 1e9));
    for (const off of [600_000, -600_000])
      expect(await read(client, 1e9 + off)).toMatchObject({ newest: { height: 100 } });
  });

  test("recognizes a node on another chain", async () => {
    for (const height of [7, 700]) {
      const fault = { kind: "stranger", why: expect.stringContaining(`momentum ${height} is not the one`) };
      expect(await read(smallChain(switched), 99_000, { height, hash: "other" })).toMatchObject({ fault });
    }
  });

  test("reads no further page than the time limit needs, which is more on a large network", async () => {
    const long = smallChain(runs(["own", 1000], ["next", 1100]));
    expect(await read(long, 2_099_000)).toMatchObject({ last: { successor: { height: 2100 } } });
    expect(await read(long, 2_099_000)).toHaveProperty("last.own", undefined);
    // With 300 Pillars, one outside the first 12 is in 2 of 100 ticks: 447 ticks pass before it is late.
    const standing = async () => ({ pillars: 300, place: 299 });
    const large = smallChain(runs(["own", 1000], ["next", 1], ["x", 5339]), { standing });
    const last = { own: { height: 1000 }, successor: { height: 1001 } };
    expect(await read(large, 6_339_000)).toMatchObject({ patience: 5_364_000, last, alternate: false });
  });

  test.each<[string, ChainClient["standing"], number]>([
    ["is in every tick on a small network", async () => ({ pillars: 12, place: 12 }), 4],
    ["does not tell how many there are", async () => undefined, 4],
    ["has not counted the weights yet", async () => ({ pillars: 60 }), 12],
    ["stands outside the first", async () => ({ pillars: 60, place: 60 }), 79],
  ])("waits for a Pillar that %s, and refuses early rather than late", async (_what, standing, ticks) => {
    expect(await read(smallChain(switched, { standing }), 99_000)).toMatchObject({ patience: ticks * 12_000 });
  });

  const paid = (epoch: number) => ({ epoch, expected: 30, produced: 29, givesAll: false });
  test("has the newest paid epoch if no slot of it was this host's", async () => {
    const since = (own: number, paidEpochs: ChainClient["paidEpochs"]) =>
      read(smallChain(runs(["own", own], ["next", 100 - own]), { paidEpochs }), 99_000);
    // Epochs of 50 s.
    expect(await since(60, async () => [paid(1), paid(0)])).toHaveProperty("paid", undefined);
    expect(await since(50, async () => [paid(1), paid(0)])).toMatchObject({ paid: paid(1) });
    expect(await since(50, () => Promise.reject(new Error("odd")))).toHaveProperty("paid", undefined);
  });
});

describe("the search for an address's production", () => {
  const good = (client: ChainClient, height = 5000): ChainReading => ({
    client,
    clock: 4_999_000,
    newest: { height, timestamp: 4_999_000, hash: "h", producer: "x" },
    pillar: null,
    last: {},
    patience: 1,
    alternate: false,
    recent: [],
  });
  const since = 1_000_000;
  const asked = (producers: readonly string[], changes: Partial<ChainClient> = {}, height = 5000) =>
    hasProducedSince([good(smallChain(producers, changes), height)], "own", since + 100_000, 100_000);

  test.each<[string, readonly string[], boolean]>([
    ["produced some pages ago", runs(["x", 1500], ["own", 1], ["x", 3499]), true],
    ["produced the first momentum since", runs(["x", 1000], ["own", 1], ["x", 3999]), true],
    ["produced the newest momentum", runs(["x", 4999], ["own", 1]), true],
    ["produced before that time only", runs(["own", 900], ["x", 4100]), false],
    ["produced the last momentum before that time", runs(["own", 1000], ["x", 4000]), false],
    ["never produced", runs(["x", 5000]), false],
  ])("decides by the momentums: %s", async (_what, producers, expected) => {
    expect(await asked(producers)).toBe(expected);
  });

  test("is undecided if a page is short, the node fails, no node answers, or the chain is too long", async () => {
    expect(await asked(runs(["x", 5000]), { momentums: async () => [] })).toBeUndefined();
    expect(await asked(runs(["x", 5000]), { momentums: () => Promise.reject(new Error("x")) })).toBeUndefined();
    expect(await hasProducedSince([silent("reference A")], "own", since)).toBeUndefined();
    expect(await asked(runs(["x", 70_000]), {}, 70_000)).toBeUndefined();
  });
});
