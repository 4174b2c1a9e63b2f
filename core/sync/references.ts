import { agreeOn, findMedian } from "../chain/agreement";
import type { ChainClient } from "../chain/chain";
import { type ExcludedHost, openReferences } from "../chain/distinctReferences";
import {
  createLeftOutNote,
  createSilentFault,
  isAnswered,
  type Reading,
  readNode,
  type SourceNote,
} from "../chain/reading";
import {
  type Block,
  type ChainExcerpt,
  type Comparison,
  compareChains,
  hashAt,
  readOlderMomentums,
} from "../chain/sameChain";
import type { SyncReason } from "./judgeObservation";

interface HeightWord {
  readonly name: string;
  readonly height: number;
}

export type ReferenceReading = Reading<ChainExcerpt>;

/** The references' answers, and the compared node's own chain. */
export interface ReferenceAnswers {
  readonly readings: readonly ReferenceReading[];
  /** The answer of the old host's node: a witness of the chain, but not of the height. */
  readonly oldHost?: ReferenceReading | undefined;
  /** A momentum of the right chain from this stack's event log. */
  readonly recorded?: Block | undefined;
  /** The node's own chain; absent if the node does not return its momentums. */
  readonly own?: ChainExcerpt | undefined;
}

export interface ReferenceAgreement {
  /** `unknown`: fewer than two usable references agree with each other. */
  readonly verdict: "agrees" | "disagrees" | "unknown";
  readonly median?: number;
  /** Set if the node is on another chain, or can't be compared. A fork also grows and looks fresh, so nothing outweighs this. */
  readonly chainFault?: SyncReason;
  /**
   * Names of the witnesses (references, the old host's node, the recorded momentum) that have the same momentum as the
   * node at the newest height that both have. Without those that are more than maxLag behind.
   */
  readonly witnesses: readonly string[];
  readonly notes: readonly SourceNote[];
}

/** Momentums that a witness may be behind the node: an hour of them. */
const maxLag = 360;

const recordedName = "the momentum that this stack recorded";

/**
 * Compares a node with independent nodes: first the chains, by hashes of a height that both have, then the heights. A
 * reference that is down or lags is left out with a note. A single reference at another height only causes a warning,
 * and two that differ prove nothing. The node is on another chain if at least as many witnesses contradict as confirm
 * it, a single one only if none confirms it. Witnesses are the references, the old host and the recorded momentum.
 */
export function compareReferences(height: number, seen: ReferenceAnswers, tolerance: number): ReferenceAgreement {
  const { readings, oldHost, recorded, own } = seen;
  const all = oldHost === undefined ? readings : [...readings, oldHost];
  const notes = all.flatMap((reading) => (isAnswered(reading) ? [] : [createLeftOutNote(reading)]));
  const told = readings.filter(isAnswered);
  const chains: { readonly name: string; readonly chain: ChainExcerpt }[] = all
    .filter(isAnswered)
    .map((reading) => ({ name: reading.client.name, chain: reading }));
  // A node below this height can't have the momentum yet.
  if (recorded && own && own.newest.height >= recorded.height)
    chains.push({ name: recordedName, chain: { newest: recorded, recent: [] } });
  const compared = chains.map((each) => ({ ...each, ...(own ? compareChains(own, each.chain) : noComparison) }));
  const others = compared.filter(({ verdict }) => verdict === "other");
  const same = compared.filter(({ verdict }) => verdict === "same");
  const isFarBehind = ({ name, height: at }: HeightWord) =>
    name !== recordedName && own !== undefined && own.newest.height - at > maxLag;
  for (const { name, height: at } of same.filter(isFarBehind))
    notes.push({
      key: `farBehind ${name}`,
      text: `${name} confirms no chain: it is far behind the node, at height ${at}`,
    });
  const witnesses = same.filter((each) => !isFarBehind(each)).map(({ name }) => name);
  const [first] = others;
  if (own && first && (others.length > 1 ? others.length >= witnesses.length : witnesses.length === 0)) {
    const [mine, theirs] = [own, first.chain].map((chain) => hashAt(chain, first.height)?.slice(0, 12));
    const count = others.length > 1 ? ` (so say ${others.length} of them)` : "";
    const text = `the node is on another chain than the references: its momentum ${first.height} is ${mine}, that of ${first.name} is ${theirs}${count}`;
    return { verdict: "unknown", chainFault: { kind: "otherChain", text }, witnesses: [], notes };
  }
  const unsaid = own && compared.find(({ verdict }) => verdict === "unsaid");
  if (unsaid) {
    const text = `the node does not show its momentum ${unsaid.height}, so it can't be compared with the references' chain`;
    return { verdict: "unknown", chainFault: { kind: "chainUntold", text }, witnesses, notes };
  }
  for (const { name, height: at } of others)
    notes.push({
      key: `otherChain ${name}`,
      text: `${name} is left out: it is on another chain than the node, by momentum ${at}`,
    });
  const words = told
    .filter((each) => !others.some(({ chain }) => chain === each))
    .map(({ client, newest }) => ({ name: client.name, height: newest.height }));
  const heights = compareHeights(height, seen, words, tolerance);
  return { ...heights, witnesses, notes: [...notes, ...heights.notes] };
}

function compareHeights(
  height: number,
  { readings, own }: ReferenceAnswers,
  words: readonly HeightWord[],
  tolerance: number,
): Omit<ReferenceAgreement, "witnesses"> {
  const notes: SourceNote[] = [];
  const [one, second] = words;
  const isClose = (a: number, b: number) => Math.abs(a - b) <= tolerance;
  if (one === undefined) return { verdict: "unknown", notes };
  if (second === undefined) {
    if (!isClose(height, one.height))
      notes.push({ key: `onlyOne ${one.name}`, text: `only ${one.name} answers, and is at height ${one.height}` });
    return { verdict: "unknown", median: one.height, notes };
  }
  const agreement = agreeOn(words, (word) => word.height, findMedian, isClose);
  if (agreement.kind === "split") {
    const key = `differ ${words.map(({ name }) => name).join()}`;
    const list = words.map((word) => `${word.name} ${word.height}`).join(", ");
    return { verdict: "unknown", notes: [{ key, text: `the references disagree among themselves: ${list}` }] };
  }
  const { word: median, by, others: away } = agreement;
  for (const odd of away)
    notes.push({ key: `odd ${odd.name}`, text: `${odd.name} is at height ${odd.height}, the others at ${median}` });
  if (!isClose(height, median)) return { verdict: "disagrees", median, notes };
  // If most references do not answer, the rest may be wrong. A node that hides its momentums may be on a fork.
  return { verdict: own && by.length * 2 > readings.length ? "agrees" : "unknown", median, notes };
}

const noComparison: Comparison = { verdict: "unsaid", height: 0 };

export interface OwnChain {
  readonly client: ChainClient;
  readonly newest: Block;
}

interface ExtraWitnesses {
  readonly oldHost?: ChainClient | undefined;
  readonly recorded?: Block | undefined;
  readonly excluded?: readonly ExcludedHost[];
}

/**
 * Reads the references' newest momentums, and those that are needed to compare them with the node. Never throws.
 * `limit` is in milliseconds, for each reference.
 */
export async function readReferences(
  references: readonly string[],
  own: OwnChain | undefined,
  limit = 10_000,
  { oldHost, recorded, excluded = [] }: ExtraWitnesses = {},
): Promise<ReferenceAnswers> {
  const ask = async (client: ChainClient, newest: Block) => {
    const shown = { newest, recent: [] };
    const older = own ? await readOlderMomentums(shown, client, [own.newest.height], limit) : { older: [] };
    return "fault" in older ? older : { ...shown, ...older };
  };
  const read = (client: ChainClient) => readNode(client, ({ newest }) => ask(client, newest), limit);
  const readAll = async (): Promise<ReferenceReading[]> => {
    const all = await openReferences(references, excluded);
    return Promise.all(
      all.map(({ client, fault }) =>
        fault === undefined ? read(client) : { client, fault: createSilentFault(fault) },
      ),
    );
  };
  const [readings, old] = await Promise.all([readAll(), oldHost && read(oldHost)]);
  const seen = { readings, oldHost: old, recorded };
  if (own === undefined) return seen;
  const shown = { newest: own.newest, recent: [] };
  const tops = [...readings, ...(old ? [old] : [])].filter(isAnswered).map(({ newest }) => newest.height);
  const older = await readOlderMomentums(shown, own.client, [...tops, ...(recorded ? [recorded.height] : [])], limit);
  return { ...seen, own: "fault" in older ? shown : { ...shown, ...older } };
}
