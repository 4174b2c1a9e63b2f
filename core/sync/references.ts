import { agreeOn, medianOf } from "../chain/agreement";
import type { ChainClient } from "../chain/chain";
import { type ExcludedHost, openReferences } from "../chain/distinct";
import { isAnswered, type Reading, readNode, silentBy, type Unanswered } from "../chain/reading";
import { type Block, type Comparison, compareChains, hashAt, olderOf, type ShownChain } from "../chain/sameChain";

/** A reference's name and what it says is the newest height. */
interface HeightWord {
  readonly name: string;
  readonly height: number;
}

/** What a reference says, as far as it is compared. */
export type ReferenceReading = Reading<ShownChain>;

/** The references' answers, and what the node that is compared with them shows of its own chain. */
export interface ReferencesSeen {
  readonly readings: readonly ReferenceReading[];
  /** The answer of the old host's node: a witness of the chain, never of the height. */
  readonly oldHost?: ReferenceReading | undefined;
  /** A momentum of the right chain, as this stack recorded it. */
  readonly recorded?: Block | undefined;
  /** Absent where the node does not tell its momentums. */
  readonly own?: ShownChain | undefined;
}

/** References that are on another chain than the node: the hashes of a height, the node's and that of the first. */
export interface Fork {
  readonly height: number;
  readonly own: string;
  readonly theirs: string;
  readonly names: readonly string[];
}

/** What is odd about a reference. */
export type ReferenceNote =
  | { readonly kind: "leftOut"; readonly reading: Unanswered }
  | ({ readonly kind: "onlyOne" } & HeightWord)
  | { readonly kind: "differ"; readonly words: readonly HeightWord[] }
  | ({ readonly kind: "odd"; readonly others: number } & HeightWord)
  /** It is so far behind the node that it may know nothing of a fork. */
  | ({ readonly kind: "farBehind" } & HeightWord)
  /** Its momentum of that height is not the node's, and most of the others are on the node's chain, or as many. */
  | ({ readonly kind: "otherChain" } & HeightWord);

/** What the references say of a node, and what is odd about each of them. */
export interface ReferenceAgreement {
  /**
   * `unknown` where fewer than two usable ones agree with each other; `otherChain` where the node is on another one than
   * they; `unsaid` where it does not show the momentum that would tell.
   */
  readonly verdict: "agrees" | "disagrees" | "unknown" | "otherChain" | "unsaid";
  readonly median?: number;
  readonly fork?: Fork;
  /** The height of the momentum that the node does not show. */
  readonly unsaid?: number;
  /** Independent witnesses: they have the node's momentum at the newest height that both have. */
  readonly witnesses: readonly string[];
  readonly notes: readonly ReferenceNote[];
}

/** Momentums, an hour of them, by which a witness may be behind the node. */
const maxLag = 360;

/** How the momentum that this stack recorded is named among the witnesses. */
const recordedName = "the momentum that this stack recorded";

/**
 * Compares a node with independent ones: first the chains, by hashes of a height that both have, then the heights.
 * Who is down or lags is named and left out; a single one that is only higher or lower warns; of two that differ nobody
 * knows which one lies. On another chain is a node where at least as many witnesses say so as say the contrary, and
 * more than one of two.
 *
 * @param height the node's
 * @param tolerance momentums
 */
export function compareReferences(height: number, seen: ReferencesSeen, tolerance: number): ReferenceAgreement {
  const { readings, oldHost, recorded, own } = seen;
  const all = oldHost === undefined ? readings : [...readings, oldHost];
  const notes: ReferenceNote[] = all.flatMap((reading) =>
    isAnswered(reading) ? [] : [{ kind: "leftOut" as const, reading }],
  );
  const told = readings.filter(isAnswered);
  const chains: { readonly name: string; readonly chain: ShownChain }[] = all
    .filter(isAnswered)
    .map((reading) => ({ name: reading.client.name, chain: reading }));
  // A node that is below it can't have it yet.
  if (recorded && own && own.newest.height >= recorded.height)
    chains.push({ name: recordedName, chain: { newest: recorded, recent: [] } });
  const compared = chains.map((each) => ({ ...each, ...(own ? compareChains(own, each.chain) : noComparison) }));
  const others = compared.filter(({ verdict }) => verdict === "other");
  const same = compared.filter(({ verdict }) => verdict === "same");
  const isFarBehind = ({ name, height: at }: HeightWord) =>
    name !== recordedName && own !== undefined && own.newest.height - at > maxLag;
  for (const { name, height: at } of same.filter(isFarBehind)) notes.push({ kind: "farBehind", name, height: at });
  const witnesses = same.filter((each) => !isFarBehind(each)).map(({ name }) => name);
  const [first] = others;
  if (own && first && (others.length > 1 ? others.length >= witnesses.length : witnesses.length === 0)) {
    const hashes = { own: hashAt(own, first.height) ?? "", theirs: hashAt(first.chain, first.height) ?? "" };
    const fork = { height: first.height, ...hashes, names: others.map(({ name }) => name) };
    return { verdict: "otherChain", fork, witnesses: [], notes };
  }
  const unsaid = own && compared.find(({ verdict }) => verdict === "unsaid");
  if (unsaid) return { verdict: "unsaid", unsaid: unsaid.height, witnesses, notes };
  for (const { name, height: at } of others) notes.push({ kind: "otherChain", name, height: at });
  const words = told
    .filter((each) => !others.some(({ chain }) => chain === each))
    .map(({ client, newest }) => ({ name: client.name, height: newest.height }));
  const heights = compareHeights(height, seen, words, tolerance);
  return { ...heights, witnesses, notes: [...notes, ...heights.notes] };
}

/** Compares the node's height with those of the references that are on its chain. */
function compareHeights(
  height: number,
  { readings, own }: ReferencesSeen,
  words: readonly HeightWord[],
  tolerance: number,
): Omit<ReferenceAgreement, "witnesses"> {
  const notes: ReferenceNote[] = [];
  const [one, second] = words;
  const isClose = (a: number, b: number) => Math.abs(a - b) <= tolerance;
  if (one === undefined) return { verdict: "unknown", notes };
  if (second === undefined) {
    if (!isClose(height, one.height)) notes.push({ kind: "onlyOne", ...one });
    return { verdict: "unknown", median: one.height, notes };
  }
  const agreement = agreeOn(words, (word) => word.height, medianOf, isClose);
  if (agreement.kind === "split") return { verdict: "unknown", notes: [{ kind: "differ", words }] };
  const { word: median, by, others: away } = agreement;
  for (const odd of away) notes.push({ kind: "odd", ...odd, others: median });
  if (!isClose(height, median)) return { verdict: "disagrees", median, notes };
  // Where most of them are out of sight, those that are left may be the liars: their word proves nothing. Nor does it where
  // the node does not tell its momentums: as high as they are is a fork, too.
  return { verdict: own && by.length * 2 > readings.length ? "agrees" : "unknown", median, notes };
}

/** A node that does not tell its momentums can't be compared. */
const noComparison: Comparison = { verdict: "unsaid", height: 0 };

/** The node that is compared, and how to ask it for more. */
export interface OwnChain {
  readonly client: ChainClient;
  readonly newest: Block;
}

/** The witnesses beside the references, and the hosts that do not count as a reference. */
export interface Beside {
  readonly oldHost?: ChainClient | undefined;
  readonly recorded?: Block | undefined;
  readonly excluded?: readonly ExcludedHost[];
}

/**
 * Asks the references for their newest momentums, all at once, and for what the node and they can be compared by. Never
 * throws.
 *
 * @param own absent where the node does not tell its newest momentum
 * @param limit milliseconds for each
 */
export async function readReferences(
  references: readonly string[],
  own: OwnChain | undefined,
  limit = 10_000,
  { oldHost, recorded, excluded = [] }: Beside = {},
): Promise<ReferencesSeen> {
  const ask = async (client: ChainClient, newest: Block) => {
    const shown = { newest, recent: [] };
    const older = own ? await olderOf(shown, client, [own.newest.height], limit) : { older: [] };
    return "fault" in older ? older : { ...shown, ...older };
  };
  const read = (client: ChainClient) => readNode(client, ({ newest }) => ask(client, newest), limit);
  const readAll = async (): Promise<ReferenceReading[]> => {
    const all = await openReferences(references, excluded);
    return Promise.all(
      all.map(({ client, fault }) => (fault === undefined ? read(client) : { client, fault: silentBy(fault) })),
    );
  };
  const [readings, old] = await Promise.all([readAll(), oldHost && read(oldHost)]);
  const seen = { readings, oldHost: old, recorded };
  if (own === undefined) return seen;
  const shown = { newest: own.newest, recent: [] };
  const tops = [...readings, ...(old ? [old] : [])].filter(isAnswered).map(({ newest }) => newest.height);
  const older = await olderOf(shown, own.client, [...tops, ...(recorded ? [recorded.height] : [])], limit);
  return { ...seen, own: "fault" in older ? shown : { ...shown, ...older } };
}
