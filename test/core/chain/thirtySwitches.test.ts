import { expect, test } from "vitest";
import { parsePaidEpochs, parseProduced } from "../../../core/chain/chainAnswers.ts";
import type { ChainView } from "../../../core/chain/chainView.ts";
import { type ProducerOwner, type Production, readProduction } from "../../../core/chain/production.ts";
import { isAnswered } from "../../../core/chain/reading.ts";
import { addressFrom } from "../../../lab/doubles/address.ts";
import { Chain } from "../../../lab/doubles/chain/index.ts";
import { randomOf } from "../../../lab/simulation/seededRandom.ts";
import { clientNamed } from "./readings.ts";

const began = 1_700_000_000_000;
const network = { momentum: 1000, tickMomentums: 30, epoch: 300_000 };
const addresses = { old: addressFrom("old producer"), fresh: addressFrom("new producer") };
const owners = new Map<string, ProducerOwner>([
  [addresses.old, "old"],
  [addresses.fresh, "new"],
]);

/** Opens a network of `pillars` with Anvil among them, two nodes, and a clock that the test moves. */
function openNetwork(pillars: number) {
  let now = began;
  const chain = new Chain({ height: 1, clock: () => now });
  chain.patchTruth({
    backgroundPillars: pillars - 1,
    momentumSeconds: 1,
    tickMomentums: 30,
    epochSeconds: 300,
    rewardDelaySeconds: 1,
  });
  chain.patchPillar("Anvil", { producerAddress: addresses.old });
  const isOff = { old: false, fresh: false };
  const view: Pick<ChainView, "readInTurn"> = {
    readInTurn: async (read) => {
      const frontier = () => parseProduced(chain.momentum(chain.network().height));
      const client = clientNamed("a node", {
        newest: async () => ({ momentum: frontier(), clock: now }),
        momentums: async (from, count) => chain.momentums(from, count).map(parseProduced),
        before: async (time) => parseProduced(chain.momentumBefore(Math.ceil(time / 1000)) ?? chain.momentum(1)),
        standing: async () => ({ pillars: chain.electorate().length }),
        paidEpochs: async (name) => parsePaidEpochs(chain.epochsOf(name, 0, 20)),
      });
      const reading = await read(client, "own");
      if (isAnswered(reading)) return reading;
      throw new Error(reading.fault.why);
    },
  };
  return {
    chain,
    isOff,
    now: () => now,
    run: (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        for (const name of ["old", "fresh"] as const) {
          const { height } = chain.network();
          const own = { height, startedAt: began, startHeight: height, state: 2, synced: true };
          if (!isOff[name]) chain.report(name, { ...own, producerAddress: addresses[name] });
        }
        now += 1000;
      }
    },
    read: (from: number, to: number) => readProduction(view, { pillar: "Anvil", owners, from, to }, network),
    /** Returns the missed slots of the ticks that the reading has, by what the chain knows of each slot's holder. */
    countMissed: ({ ticks, tickSeconds }: Production) => {
      const begin = Date.parse(ticks[0]?.startAt ?? "");
      const end = begin + ticks.length * tickSeconds * 1000;
      return chain.missed("Anvil").filter(({ at }) => at >= begin && at < end).length;
    },
  };
}

/** Plays a switch to the other host. Nodes are off at random moments, or not at all. */
async function playSwitch(play: ReturnType<typeof openNetwork>, round: number, random: () => number) {
  const [from, to] = round % 2 === 0 ? (["old", "fresh"] as const) : (["fresh", "old"] as const);
  play.run(90);
  const begin = play.now();
  const isLate = round % 3 === 1;
  if (isLate) play.isOff[from] = true;
  play.run(Math.floor(random() * 20));
  play.chain.updateProducer("Anvil", addresses[to]);
  play.run(20);
  if (round % 3 === 2) play.isOff[to] = true;
  play.run(60 + Math.floor(random() * 30));
  play.isOff.old = false;
  play.isOff.fresh = false;
  const end = play.now();
  play.run(130);
  return play.read(begin, end);
}

test.each([
  ["three Pillars, exactly", 3, true],
  ["seven Pillars, within the bounds", 7, false],
  ["seventy Pillars, within the bounds", 70, false],
])("thirty switches of %s: the missed slots are those of the chain", async (_what, pillars, isExact) => {
  const random = randomOf(pillars);
  const play = openNetwork(pillars);
  const lost: number[] = [];
  for (let round = 0; round < 30; round++) {
    const reading = await playSwitch(play, round, random);
    const { least, most } = reading.total.missedSlots;
    const truth = play.countMissed(reading);
    lost.push(truth);
    if (isExact) expect([least, most], `switch ${round}`).toEqual([truth, truth]);
    expect(truth, `switch ${round}`).toBeGreaterThanOrEqual(least);
    expect(truth, `switch ${round}`).toBeLessThanOrEqual(most);
    expect(reading.ticks.length).toBeGreaterThan(5);
  }
  // Agreement about nothing but zeros would prove nothing.
  expect(lost.filter((count) => count > 0).length).toBeGreaterThan(pillars > 30 ? 3 : 15);
  expect(lost.filter((count) => count === 0).length).toBeGreaterThan(5);
});
