import fc from "fast-check";
import { expect, test } from "vitest";
import type { Observation } from "../../../core/chain/node";
import { type SyncDeps, waitForSync } from "../../../core/sync/waitForSync";
import { atHeight, seenFrom } from "../chain/readings";
import { nodeTime as genesis, hour, none } from "./looks";

const [momentumMs, minute, tolerance, genesisHeight] = [10_000, 60_000, 20, 100_000];

/** Behaviour of the node for a while: `stale` and `frozen` add no momentum and say synced, at their own height. */
const kinds = ["runs", "refused", "stale", "frozen", "below", "flaps", "noTarget"] as const;

const histories = fc
  .record({
    behind: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3000 })),
    /** Momentums per second of a node that syncs. */
    rate: fc.integer({ min: 5, max: 300 }),
    phases: fc.array(fc.record({ kind: fc.constantFrom(...kinds), seconds: fc.integer({ min: 1, max: 600 }) }), {
      maxLength: 6,
    }),
    /** The host's clock is right, or far off. */
    hostOffset: fc.constantFrom(0, 0, 0, -3 * hour, 20 * minute),
    honest: fc.nat({ max: 4 }),
    liars: fc.nat({ max: 2 }),
    lie: fc.constantFrom(-4000, -200, 1000),
    lookMs: fc.array(fc.integer({ min: 5, max: 20_000 }), { minLength: 1, maxLength: 5 }),
    confirmations: fc.integer({ min: 1, max: 5 }),
    confirmSpan: fc.constantFrom(0, 4000, minute),
  })
  // Without a right clock only a majority of references proves a height, and a lone one that lies proves nothing.
  .filter(({ hostOffset, honest, liars }) => (liars === 0 || honest > liars) && (hostOffset === 0 || honest > 1));

type History = typeof histories extends fc.Arbitrary<infer T> ? T : never;

/** Plays a history: only lookups and sleeps take time, and both clocks but the host's are right. */
function play({ behind, rate, phases, hostOffset, honest, liars, lie, lookMs }: History) {
  let [time, grown, looks] = [0, genesisHeight - behind, 0];
  const network = () => genesisHeight + Math.floor(time / momentumMs);
  const ends = phases.map((_, i) => phases.slice(0, i + 1).reduce((sum, { seconds }) => sum + seconds * 1000, 0));
  const kind = () => phases[ends.findIndex((end) => time < end)]?.kind ?? "runs";
  const pass = (milliseconds: number) => {
    for (let left = milliseconds; left > 0; left -= 1000) {
      const step = Math.min(left, 1000);
      time += step;
      if (!["refused", "stale", "frozen"].includes(kind()))
        grown = Math.max(grown, Math.min(network(), grown + (rate * step) / 1000));
    }
  };
  const observe = async (): Promise<Observation> => {
    looks += 1;
    pass(lookMs[looks % lookMs.length] ?? 0);
    const [height, tip, now] = [Math.floor(grown), network(), kind()];
    const own: [number, number] = [2, height];
    const says: Readonly<Record<Exclude<typeof now, "refused">, [number, number]>> = {
      runs: height >= tip ? own : [1, tip],
      stale: own,
      frozen: own,
      below: [2, tip + 1],
      flaps: looks % 2 === 0 ? own : [1, tip],
      noTarget: [2, 0],
    };
    if (now === "refused") return none();
    const [state, targetHeight] = says[now];
    const newest = { height, timestamp: genesis + (height - genesisHeight) * momentumMs, hash: `h${height}` };
    const nodeTime = genesis + time + hostOffset;
    return { kind: "answer", info: { state, currentHeight: height, targetHeight }, newest, peers: 8, nodeTime };
  };
  const deps: SyncDeps = {
    client: { observe, close: () => undefined },
    readReferences: async (newest) => {
      const right = Array.from({ length: honest }, (_, i) => atHeight(`r${i}`, network()));
      const wrong = Array.from({ length: liars }, (_, i) => atHeight(`l${i}`, network() + lie));
      return seenFrom(newest?.height ?? 0, [...wrong, ...right]);
    },
    readVersionGaps: async () => [],
    now: () => genesis + time,
    ticks: () => time,
    sleep: async (milliseconds) => pass(milliseconds),
    say: () => undefined,
  };
  return { deps, behindNow: () => network() - Math.floor(grown) };
}

test("the gate never opens too early in any history, and always soon after the node has synced", async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const { deps, behindNow } = play(history);
      const faults = history.phases.reduce((sum, { seconds }) => sum + seconds * 1000, 0);
      const catchUp = (history.behind / history.rate) * 1000 + faults;
      const row = history.confirmations * 25_000 + history.confirmSpan;
      const { confirmations, confirmSpan } = history;
      // Rejects at the deadline.
      await waitForSync(
        {
          ...{ confirmations, confirmSpan, tolerance, isChainUnverified: true, stallAfter: hour, wait: "block" },
          ...{ startedAt: genesis, address: "203.0.113.7", service: "go-node", stack: "prod" },
          deadline: catchUp + 2 * row + 5 * minute,
        },
        deps,
      );
      // A fresh momentum is at most two minutes old.
      expect(behindNow()).toBeLessThanOrEqual(2 * (minute / momentumMs) + 3 + (history.honest > 1 ? tolerance : 0));
    }),
    { numRuns: 2000 },
  );
}, 60_000);
