import type { ChainClient } from "./chain.ts";
import type { Produced } from "./chainAnswers.ts";
import type { ChainView } from "./chainView.ts";
import { computeTickMs, type Network } from "./elections.ts";
import { createSilentFault, readDown, readNode } from "./reading.ts";

export type Bounds = Readonly<Record<"least" | "most", number>>;
/** The host with a producer address; `other`: neither, but it was registered in between. */
export type ProducerOwner = "old" | "new" | "other";

/** A Pillar's slots in a tick, and its momentums by whose address they carry. `startAt` is ISO 8601. */
export interface TickProduction {
  readonly startAt: string;
  readonly producedMomentums: Readonly<Record<ProducerOwner, number>>;
  readonly expectedSlots: Bounds;
  readonly missedSlots: Bounds;
}

export interface ProductionQuestion {
  readonly pillar: string;
  readonly owners: ReadonlyMap<string, ProducerOwner>;
  /** Unix milliseconds of what may have cost slots. `to` is absent while the migration lasts. */
  readonly from: number;
  readonly to?: number | undefined;
}

/** Ticks before and after: an address that is registered in tick T has its slots from T+2 on. */
const marginTicks = 2;
/** Pages: about a week of momentums. */
const maxPages = 60;

/**
 * Counts a Pillar's slots in a tick that begins at `start`, from its momentums. Nodes don't report the schedule: a tick has
 * the Pillar's share of its slots, rounded down or up. Only an empty slot can be a missed one.
 */
export function countTick(
  inTick: readonly Produced[],
  start: number,
  owners: ProductionQuestion["owners"],
  { tickMomentums: slots, pillars }: Pick<Network, "tickMomentums"> & { readonly pillars: number },
): TickProduction {
  const count = (owner: ProducerOwner) => inTick.filter(({ producer }) => owners.get(producer) === owner).length;
  const producedMomentums = { old: count("old"), new: count("new"), other: count("other") };
  const produced = producedMomentums.old + producedMomentums.new + producedMomentums.other;
  const lacking = (share: number) => Math.max(0, Math.min(share - produced, slots - inTick.length));
  const [least, most] = [lacking(Math.floor(slots / pillars)), lacking(Math.ceil(slots / pillars))];
  const expectedSlots = { least: produced + least, most: produced + most };
  return { startAt: new Date(start).toISOString(), producedMomentums, expectedSlots, missedSlots: { least, most } };
}

/** Adds a tick's figures to those of earlier ticks. */
export function addTick(sum: TickProduction, tick: TickProduction): TickProduction {
  const add = <T extends Readonly<Record<string, number>>>(one: T, other: T) =>
    Object.fromEntries(Object.entries(one).map(([key, value]) => [key, value + (other[key] ?? 0)])) as T;
  return {
    startAt: sum.startAt,
    producedMomentums: add(sum.producedMomentums, tick.producedMomentums),
    expectedSlots: add(sum.expectedSlots, tick.expectedSlots),
    missedSlots: add(sum.missedSlots, tick.missedSlots),
  };
}

export type Production = Awaited<ReturnType<typeof readProduction>>;

/** Reads a Pillar's slots across a switch from the first node that answers. @throws the reasons of all nodes */
export async function readProduction(
  view: Pick<ChainView, "readInTurn">,
  { pillar, owners, from, to }: ProductionQuestion,
  network: Network & { readonly epoch: number },
) {
  const tickMs = computeTickMs(network);
  const read = async (client: ChainClient, newest: Produced) => {
    const [genesis] = (await client.momentums(1, 1)).map(({ timestamp }) => timestamp);
    const { pillars } = (await client.standing(pillar)) ?? {};
    if (!genesis || !pillars) return { fault: createSilentFault(`it does not list the Pillar ${pillar}`) };
    const findTick = (time: number) => Math.floor((time - genesis) / tickMs);
    const startOf = (tick: number) => genesis + tick * tickMs;
    const first = Math.max(0, findTick(from) - marginTicks);
    // The running tick's slots are still to come.
    const end = Math.min(findTick(newest.timestamp), findTick(to ?? newest.timestamp) + marginTicks + 1);
    const findTop = async (tick: number) => (await client.before(startOf(tick)))?.height ?? 0;
    const range = { top: await findTop(end), floor: (await findTop(first)) + 1, pages: maxPages };
    const all = await readDown(client, range, () => false);
    if ("fault" in all) return all;
    if (end <= first || all.momentums.length <= range.top - range.floor)
      return { fault: createSilentFault(end <= first ? "no whole tick has passed yet" : "it took more than a week") };
    const ticks = Array.from({ length: end - first }, (_, index) => {
      const [start, next] = [startOf(first + index), startOf(first + index + 1)];
      const inTick = all.momentums.filter(({ timestamp }) => timestamp >= start && timestamp < next);
      return countTick(inTick, start, owners, { ...network, pillars });
    });
    // Paid epochs are exact, but have more ticks than those of the switch.
    const epochs = {
      first: Math.floor((first * tickMs) / network.epoch),
      last: Math.floor(((end - 1) * tickMs) / network.epoch),
    };
    const paid = (await client.paidEpochs(pillar)).filter(({ epoch }) => epoch >= epochs.first && epoch <= epochs.last);
    const paidEpochs = paid.length > epochs.last - epochs.first ? paid : undefined;
    const total = ticks.reduce(addTick);
    return { found: { source: client.name, tickSeconds: tickMs / 1000, pillars, ticks, total, epochs, paidEpochs } };
  };
  return (await view.readInTurn((client) => readNode(client, ({ newest }) => read(client, newest)))).found;
}
