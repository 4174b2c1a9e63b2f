import { describe, expect, test, vi } from "vitest";
import type { ChainClient, Produced } from "../../../core/chain/chain";
import { lookAtRegistration, type RegistrationLook } from "../../../core/registration/look";
import { readSource } from "../../../core/registration/source";
import { chainOf, clock, old, other, ours, pillarOf, says } from "./chains";

/** A node that has all of a chain, with its Pillar registered so. */
function clientOf(
  chain: readonly Produced[],
  registered: string | null,
  changes: Partial<ChainClient> = {},
): ChainClient {
  return {
    name: "node",
    newest: async () => ({ momentum: chain.at(-1) as Produced, clock }),
    momentums: async (from, count) => chain.filter(({ height }) => height >= from && height < from + count),
    before: async () => undefined,
    pillar: async () => (registered === null ? null : pillarOf(registered)),
    standing: async () => ({ pillars: 3, place: 1 }),
    paidEpochs: async () => [],
    rewards: async () => "notOffered",
    close: () => undefined,
    ...changes,
  };
}

const long = chainOf(
  Array.from({ length: 300 }, (_, i) => (i % 3 > 0 ? other : i > 60 ? ours : old)),
  { first: 1 },
);

describe("a source", () => {
  test("tells its newest momentums and the Pillar", async () => {
    const reading = await readSource(clientOf(long, null), "Anvil", 1000);
    expect(reading).toEqual({ name: "node", clock, recent: long.slice(-128), pillar: null });
  });

  test("of a young chain tells all of it", async () => {
    const few = chainOf([old, old], { first: 1 });
    expect((await readSource(clientOf(few, old), "Anvil", 1000)).recent).toEqual(few);
  });

  test.each<[string, Partial<ChainClient>, string]>([
    ["fails", { pillar: () => Promise.reject(new Error("cut off")) }, "cut off"],
    ["hangs", { momentums: () => new Promise(() => undefined) }, "no answer within 0.05 s"],
  ])("that %s gives its reason, and no more", async (_what, changes, error) => {
    expect(await readSource(clientOf(long, ours, changes), "Anvil", 50)).toEqual({ name: "node", error });
  });
});

const network = { momentum: 10_000, tickMomentums: 30 };

describe("a look", () => {
  const look = (changes: Partial<RegistrationLook> = {}) =>
    lookAtRegistration({
      ...{ ours, memory: { earlier: old }, network, now: () => clock },
      node: { synced: true, known: true, why: "synced" },
      readings: [says("node", ours, { recent: long.slice(-128) })],
      open: () => clientOf(long, ours),
      ...changes,
    });

  test("finds the switch beyond what was read", async () => {
    const before = { producerAddress: old, height: 61, at: long[60]?.timestamp };
    expect(await look()).toMatchObject({
      kind: "producing",
      switched: { height: 64, at: long[63]?.timestamp, before, empty: 0 },
    });
  });

  test("counts the slots that stayed empty between the two addresses: gaps in time", async () => {
    const gap = (momentums: readonly Produced[]) =>
      momentums.map((each) => (each.height > 62 ? each : { ...each, timestamp: each.timestamp - 20_000 }));
    const changes = {
      readings: [says("node", ours, { recent: long.slice(-128) })],
      open: () => clientOf(gap(long), ours),
    };
    expect(await look(changes)).toMatchObject({ switched: { height: 64, empty: 2 } });
    // Times that are no multiple of the pace are of another network than the configured one.
    const other = await look({ ...changes, network: { momentum: 7_000, tickMomentums: 30 } });
    expect(other).not.toHaveProperty("switched.empty");
  });

  test("of one that has produced nothing yet asks for the ticks' beginning and the Pillar's place", async () => {
    const before = chainOf(Array<string>(300).fill(old), { first: 1 });
    const readings = [says("node", ours, { recent: before.slice(-128) })];
    const client = clientOf(before, ours, { standing: async () => ({ pillars: 100, place: 71 }) });
    const tick = 300_000;
    const genesis = before[0]?.timestamp ?? 0;
    const from = genesis + (Math.floor((clock + 20_000 - genesis) / tick) + 2) * tick;
    expect(await look({ readings, open: () => client })).toMatchObject({
      ...{ kind: "registered", isLate: false },
      wait: { from, usually: from + 4 * tick, surely: from + 48 * tick },
    });
    const mute = clientOf(before, ours, { standing: async () => undefined });
    const found = await look({ readings, open: () => mute });
    expect(found).toMatchObject({ kind: "registered", wait: { from }, isLate: false });
    expect(found).not.toHaveProperty("wait.surely");
  });

  test("asks for nothing more where the switch is recorded, and anew where it was undone", async () => {
    const open = vi.fn(() => clientOf(long, ours));
    const memory = { earlier: old, switched: { height: 64, at: 0 } };
    expect(await look({ memory, open })).toMatchObject({ kind: "producing", switched: memory.switched });
    expect(open).not.toHaveBeenCalled();
    const undone = chainOf([ours, old, other], { first: 1000 });
    const readings = [says("node", ours, { recent: undone })];
    expect(await look({ memory, open, readings })).toMatchObject({ kind: "registered" });
    expect(open).toHaveBeenCalled();
  });

  test("asks for nothing more where it is not ours", async () => {
    const open = vi.fn();
    expect(await look({ open, readings: [says("node", old)] })).toMatchObject({ kind: "earlier" });
    expect(open).not.toHaveBeenCalled();
  });

  test("that can't be finished says so, and does not fail", async () => {
    const momentums = () => Promise.reject(new Error("the node restarts"));
    const found = await look({ open: () => clientOf(long, ours, { momentums }) });
    expect(found).toMatchObject({ kind: "registered", unseen: "the node restarts" });
  });
});
