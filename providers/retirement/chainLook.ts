import { type ChainClient, momentumPage, type PillarOnChain, type Produced } from "../rpc/chain";

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
  /** Momentums: who produces at all does so among as many. */
  readonly producingWithin: number;
}

/** The newest momentum of each; `registered` of whoever is the Pillar's producer now. */
export interface Newest {
  readonly own?: Produced;
  readonly successor?: Produced;
  readonly registered?: Produced;
}

/** What a node says of the chain, or why its word does not count. */
export type ChainReading =
  | {
      readonly source: string;
      readonly fault: string;
      /** It does not know the momentum that was recorded: of another chain, or a liar. */
      readonly isStranger?: true;
    }
  | {
      readonly source: string;
      readonly height: number;
      /** null: it knows no such Pillar. */
      readonly pillar: PillarOnChain | null;
      /** The newest momentum of each among the latest {@link momentumPage}. */
      readonly last: Newest;
      /** The successor produced before this host's newest momentum already, and not long ago: both produce. */
      readonly alternate: boolean;
    };

/** A node's newest momentum may be so old, by its own clock; milliseconds. */
const maxAge = 120_000;
/** By this machine's clock, which may be off. */
const maxAgeHere = 15 * 60_000;

/** Asks one node. Never throws. */
export async function readChain(client: ChainClient, question: ChainQuestion, now: number): Promise<ChainReading> {
  const source = client.name;
  try {
    const { momentum: newest, clock } = await client.newest();
    const age = clock - newest.timestamp;
    const ageHere = now - newest.timestamp;
    if (age > maxAge || ageHere > maxAgeHere) {
      const seconds = Math.round(Math.max(age, ageHere) / 1000);
      return { source, fault: `it is behind: its newest momentum, ${newest.height}, is ${seconds} s old` };
    }
    if (ageHere < -maxAgeHere)
      return { source, fault: `its newest momentum, ${newest.height}, is of a time that has not come` };
    const stranger = await knowsNot(client, question.recorded);
    if (stranger) return { source, fault: stranger, isStranger: true };
    const pillar = await client.pillar(question.pillar);
    const from = Math.max(1, newest.height - momentumPage + 1);
    const page = await client.momentums(from, newest.height - from + 1);
    if (!isWhole(page, from, newest.height))
      return { source, fault: `it does not give the momentums from ${from} to ${newest.height}, which it has` };
    return {
      source,
      height: newest.height,
      pillar,
      last: newestOf(page, { ...question, registered: pillar?.producerAddress }),
      alternate: alternate(page, question),
    };
  } catch (error) {
    return { source, fault: (error as Error).message };
  }
}

/** The newest momentum of each address in a page (pure). */
export function newestOf(
  page: readonly Produced[],
  addresses: { readonly [K in keyof Newest]?: string | undefined },
): Newest {
  const last = (address: string | undefined) =>
    address === undefined ? undefined : page.findLast(({ producer }) => producer === address);
  const [own, successor, registered] = [addresses.own, addresses.successor, addresses.registered].map(last);
  return { ...(own ? { own } : {}), ...(successor ? { successor } : {}), ...(registered ? { registered } : {}) };
}

/** Whether both addresses produced of late, in turns (pure): after a switch the one begins where the other ended. */
function alternate(page: readonly Produced[], { own, successor, producingWithin }: ChainQuestion): boolean {
  const late = page.slice(-producingWithin);
  const [mine, first] = [
    late.findLast(({ producer }) => producer === own),
    late.find(({ producer }) => producer === successor),
  ];
  return mine !== undefined && first !== undefined && first.height < mine.height;
}

/** Whether a page has every momentum of a range (pure): the one that is missing may be this host's. */
function isWhole(page: readonly Produced[], from: number, to: number): boolean {
  return page.length === to - from + 1 && page.every(({ height }, at) => height === from + at);
}

async function knowsNot(client: ChainClient, recorded: Recorded | undefined): Promise<string | undefined> {
  if (recorded === undefined) return undefined;
  const [found] = await client.momentums(recorded.height, 1);
  if (found?.height === recorded.height && found.hash === recorded.hash) return undefined;
  return `it is of another chain: momentum ${recorded.height} is not the one that was recorded when this host was synced`;
}
