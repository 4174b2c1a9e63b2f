import { type ChainClient, momentumPage } from "../chain/chain";
import type { PaidEpoch, PillarOnChain, Produced } from "../chain/chainAnswers";
import { chanceOf, type Network, type PillarStanding, patienceTicks, tickOf } from "../chain/elections";
import { type NodeFault, type Reading, readNode, wholePage } from "../chain/reading";
import type { Block } from "../chain/sameChain";
import { isSuccessorsSince } from "./successorProduction";

/** A momentum that was recorded when the host was synced: an RPC that does not know it is of another chain, or lies. */
export interface Recorded {
  readonly height: number;
  readonly hash: string;
}

/** What is asked of each node. */
export interface ChainQuestion {
  readonly pillar: string;
  readonly recorded?: Recorded | undefined;
  /** Producer addresses: of the host that is retired, where it is known, and of its successor. */
  readonly own?: string | undefined;
  readonly successor?: string | undefined;
  readonly network: Network;
  /** An epoch of rewards, in milliseconds. */
  readonly epoch: number;
}

/** The newest momentum of each; `registered` of whoever is the Pillar's producer now. */
export interface Newest {
  readonly own?: Produced;
  readonly successor?: Produced;
  readonly registered?: Produced;
}

/** What a node says of the chain. */
export interface ChainWord {
  /** null: it knows no such Pillar. */
  readonly pillar: PillarOnChain | null;
  /** Where the Pillar stands among all, where the node tells. */
  readonly standing?: PillarStanding;
  /** Milliseconds: a healthy Pillar of this standing is hardly ever without a momentum for so long. */
  readonly patience: number;
  /** The newest momentum of each within that time, or among the latest {@link momentumPage}. */
  readonly last: Newest;
  /** The successor produced before this host's newest momentum already, and within that time: both produce. */
  readonly alternate: boolean;
  /** The newest paid epoch, where all its slots were the successor's. */
  readonly paid?: PaidEpoch;
  /** Its newest momentums, and others that it is compared with the other nodes by. */
  readonly recent: readonly Block[];
  readonly older?: readonly Block[];
}

export type ChainReading = Reading<ChainWord>;

/** About a day and a half: of a thousand Pillars one outside the first waits no longer. */
const mostPages = 12;

/** So many of its momentums are kept to be compared; others are asked for. */
const compared = 128;

/** How old a node's newest momentum may be by this machine's clock, which may be off; milliseconds. */
const maxAgeHere = 15 * 60_000;

/** Asks one node. Never throws. */
export function readChain(client: ChainClient, question: ChainQuestion, now: number): Promise<ChainReading> {
  return readNode<ChainWord>(client, async ({ newest }) => {
    const fault = faultHere(newest, now) ?? (await strangerFault(client, question.recorded));
    if (fault) return { fault };
    const pillar = await client.pillar(question.pillar);
    const standing = await client.standing(question.pillar);
    const patience = patienceOf(standing, question.network);
    const since = newest.timestamp - patience;
    const late = await momentumsSince(client, newest, since);
    if ("fault" in late) return late;
    const paid = await paidBySuccessor(client, question);
    return {
      pillar,
      patience,
      recent: late.momentums.slice(-compared).map(({ height, hash }) => ({ height, hash })),
      standing,
      last: newestOf(late.momentums, { ...question, registered: pillar?.producerAddress }),
      alternate: alternate(
        late.momentums.filter(({ timestamp }) => timestamp >= since),
        question,
      ),
      paid,
    };
  });
}

/** A node whose clock stands still, or was set, is behind or ahead by this machine's. */
function faultHere({ height, timestamp }: Produced, now: number): NodeFault | undefined {
  const age = now - timestamp;
  if (age > maxAgeHere) return { kind: "behind", height, by: age };
  return age < -maxAgeHere ? { kind: "ahead", height, by: -age } : undefined;
}

/** The newest momentum of each address in a page. */
export function newestOf(
  page: readonly Produced[],
  addresses: { readonly [K in keyof Newest]?: string | undefined },
): Newest {
  const last = (address: string | undefined) =>
    address === undefined ? undefined : page.findLast(({ producer }) => producer === address);
  const [own, successor, registered] = [addresses.own, addresses.successor, addresses.registered].map(last);
  return { own, successor, registered };
}

/**
 * How long a Pillar is waited for, in milliseconds. Where the node does not tell where it stands, it is taken for
 * one that is elected often: a successor is refused too early then, never too late.
 */
export function patienceOf(standing: PillarStanding | undefined, network: Network): number {
  const chance = standing === undefined ? 1 : chanceOf(standing, network).most;
  return patienceTicks(chance) * tickOf(network);
}

/** The momentums since a time, and a whole page at least. */
async function momentumsSince(
  client: ChainClient,
  newest: Produced,
  since: number,
): Promise<{ readonly momentums: readonly Produced[] } | { readonly fault: NodeFault }> {
  let momentums: readonly Produced[] = [];
  for (let pages = 0, top = newest.height; pages < mostPages && top > 0; pages += 1) {
    const from = Math.max(1, top - momentumPage + 1);
    const whole = await wholePage(client, from, top);
    if ("fault" in whole) return whole;
    momentums = [...whole.page, ...momentums];
    if ((whole.page[0]?.timestamp ?? 0) <= since) break;
    top = from - 1;
  }
  return { momentums };
}

/** The newest epoch that was paid, where no slot of it was this host's any more: evidence beside the momentums. */
async function paidBySuccessor(client: ChainClient, question: ChainQuestion): Promise<PaidEpoch | undefined> {
  const { own, successor, pillar, epoch } = question;
  if (successor === undefined) return undefined;
  try {
    const [[newest], [first]] = [await client.paidEpochs(pillar), await client.momentums(1, 1)];
    if (newest === undefined || first === undefined) return undefined;
    const begin = first.timestamp + newest.epoch * epoch;
    return (await isSuccessorsSince(client, { own, successor }, begin)) ? newest : undefined;
  } catch {
    return undefined;
  }
}

/** Whether both addresses produced of late, in turns: after a switch the one begins where the other ended. */
function alternate(late: readonly Produced[], { own, successor }: ChainQuestion): boolean {
  const [mine, first] = [
    late.findLast(({ producer }) => producer === own),
    late.find(({ producer }) => producer === successor),
  ];
  return mine !== undefined && first !== undefined && first.height < mine.height;
}

async function strangerFault(client: ChainClient, recorded: Recorded | undefined): Promise<NodeFault | undefined> {
  if (recorded === undefined) return undefined;
  const [found] = await client.momentums(recorded.height, 1);
  const isKnown = found?.height === recorded.height && found.hash === recorded.hash;
  return isKnown ? undefined : { kind: "stranger", height: recorded.height };
}
