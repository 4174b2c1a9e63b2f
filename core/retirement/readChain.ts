import { type ChainClient, momentumPage } from "../chain/chain.ts";
import type { PaidEpoch, PillarOnChain, Produced } from "../chain/chainAnswers.ts";
import {
  computeElectionChance,
  computeMaxTicksWithoutSlot,
  computeTickMs,
  type Network,
  type PillarStanding,
} from "../chain/elections.ts";
import { findAgeFault, isAnswered, type NodeFault, type Reading, readDown, readNode } from "../chain/reading.ts";
import type { Block } from "../chain/sameChain.ts";
import { isNewProducerSince, type Producers } from "./readRewards.ts";
import type { RetirementInputs } from "./retirementInputs.ts";

type ChainQuestion = Pick<RetirementInputs, "pillar" | "recorded" | "network" | "epoch"> & Partial<Producers>;

export interface ChainAnswer {
  /** null if there is no such Pillar. */
  readonly pillar: PillarOnChain | null;
  /** Milliseconds within which a healthy Pillar of this rank almost surely has a momentum. */
  readonly patience: number;
  /** Newest momentum of each address within `patience`, or in the last {@link momentumPage} if these reach further. */
  readonly last: { readonly own?: Produced; readonly successor?: Produced; readonly registered?: Produced };
  /** True if this host and its successor both produce: the successor had a momentum before this host's newest. */
  readonly alternate: boolean;
  /** Newest paid epoch, if the successor had all the Pillar's slots in it. */
  readonly paid?: PaidEpoch;
  readonly recent: readonly Block[];
  readonly older?: readonly Block[];
}

export type ChainReading = Reading<ChainAnswer>;

/** Pages: momentums of a day and a half. Even with 600 Pillars none waits longer for a slot. */
const maxPages = 12;

/** Momentums kept to compare nodes' chains; older ones are requested when needed. */
const maxRecent = 128;

/** Maximum age of a node's newest momentum in milliseconds, by this machine's clock, which may be wrong. */
const maxAgeMs = 15 * 60_000;

/** Reads what one node says about the Pillar. Never throws. */
export function readChain(client: ChainClient, question: ChainQuestion, now: number): Promise<ChainReading> {
  return readNode<ChainAnswer>(client, async ({ newest }) => {
    const fault = findAgeFault({ newest, clock: now }, maxAgeMs) ?? (await otherChainFault(client, question.recorded));
    if (fault) return { fault };
    const pillar = await client.pillar(question.pillar);
    const standing = await client.standing(question.pillar);
    const patience = productionTimeoutMs(standing, question.network);
    const since = newest.timestamp - patience;
    const range = { top: newest.height, floor: 1, pages: maxPages };
    const read = await readDown(client, range, ([oldest]) => (oldest?.timestamp ?? 0) <= since);
    if ("fault" in read) return read;
    const { momentums } = read;
    const newestOf = (address: string | undefined) =>
      address === undefined ? undefined : momentums.findLast(({ producer }) => producer === address);
    return {
      pillar,
      patience,
      recent: momentums.slice(-maxRecent).map(({ height, hash }) => ({ height, hash })),
      last: {
        own: newestOf(question.oldProducer),
        successor: newestOf(question.newProducer),
        registered: newestOf(pillar?.producerAddress),
      },
      alternate: isAlternating(momentums, since, question),
      paid: await readPaidEpoch(client, question),
    };
  });
}

/** Returns how long a Pillar may be without a momentum. An unknown rank gets the shortest time: refusals may be early. */
function productionTimeoutMs(standing: PillarStanding | undefined, network: Network): number {
  const chance = standing === undefined ? 1 : computeElectionChance(standing, network);
  return computeMaxTicksWithoutSlot(chance) * computeTickMs(network);
}

/** Reads the newest paid epoch as further evidence; undefined if this host had a slot in it. */
async function readPaidEpoch(client: ChainClient, question: ChainQuestion): Promise<PaidEpoch | undefined> {
  const { oldProducer, newProducer, pillar, epoch } = question;
  if (newProducer === undefined) return undefined;
  try {
    const [[newest], [first]] = [await client.paidEpochs(pillar), await client.momentums(1, 1)];
    if (newest === undefined || first === undefined) return undefined;
    const begin = first.timestamp + newest.epoch * epoch;
    return (await isNewProducerSince(client, { oldProducer, newProducer }, begin)) ? newest : undefined;
  } catch {
    return undefined;
  }
}

/** True if both addresses produced in turns. After one switch, the new address begins where the old one ended. */
function isAlternating(momentums: readonly Produced[], since: number, { oldProducer, newProducer }: ChainQuestion) {
  const isOf = (address?: string) => (each: Produced) => each.producer === address && each.timestamp >= since;
  const [lastOld, firstNew] = [momentums.findLast(isOf(oldProducer)), momentums.find(isOf(newProducer))];
  return lastOld !== undefined && firstNew !== undefined && firstNew.height < lastOld.height;
}

async function otherChainFault(client: ChainClient, recorded?: Block): Promise<NodeFault | undefined> {
  if (recorded === undefined) return undefined;
  const { height, hash } = recorded;
  const [momentum] = await client.momentums(height, 1);
  if (momentum?.height === height && momentum.hash === hash) return undefined;
  const why = `it is of another chain: momentum ${height} is not the one that was recorded when this host was synced`;
  return { kind: "stranger", why };
}

/** Searches momentums for one of an address, from the newest on. Undefined if the node does not show them. */
async function searchProduction(client: ChainClient, address: string, range: Parameters<typeof readDown>[1]) {
  const isIts = ({ producer }: Produced) => producer === address;
  const read = await readDown(client, range, (page) => page.some(isIts));
  if ("fault" in read) return undefined;
  return { isFound: read.momentums.some(isIts), count: read.momentums.length };
}

/** Pages: momentums of some hours. */
const maxPagesBefore = 3;

/** True if an address produced in the hours before a time, by this node; undefined if the node can't show that. */
export async function hasProducedBefore(client: ChainClient, address: string, time: number) {
  try {
    const range = { top: (await client.before(time))?.height ?? 0, floor: 1, pages: maxPagesBefore };
    return (await searchProduction(client, address, range))?.isFound;
  } catch {
    return undefined;
  }
}

/** Pages: about a week of momentums. */
const maxSearchPages = 60;

/** Milliseconds by which the clock of a host may have been ahead when it noted its deploy. */
const usualClockErrorMs = 86_400_000;

/**
 * True if an address has produced since a time by its host's clock, by the first good node; undefined if that can't show
 * all momentums.
 */
export async function hasProducedSince(
  readings: readonly ChainReading[],
  address: string,
  since: number,
  clockErrorMs = usualClockErrorMs,
) {
  const reading = readings.find(isAnswered);
  if (reading === undefined) return undefined;
  const { client, newest } = reading;
  try {
    const floor = ((await client.before(since - clockErrorMs))?.height ?? 0) + 1;
    const search = await searchProduction(client, address, { top: newest.height, floor, pages: maxSearchPages });
    if (search === undefined || search.isFound) return search?.isFound;
    return newest.height - search.count < floor ? false : undefined;
  } catch {
    return undefined;
  }
}
