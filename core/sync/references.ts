import { agreeOn, findMedian } from "../chain/agreement";
import type { NodeTarget } from "../chain/node";
import { type Answered, isAnswered, listLeftOut, type Reading } from "../chain/reading";
import { type Block, type ChainExcerpt, compareChains, hashAt } from "../chain/sameChain";
import type { LogRef } from "../eventLog/eventLog";

export interface ChainSources {
  readonly references: readonly string[];
  /** Momentums that a height may be apart from the references' median. */
  readonly tolerance: number;
  /** True if no witness of the chain is needed: the operator accepted the risk, or no decision depends on the chain. */
  readonly isChainUnverified?: boolean | undefined;
}

export interface WitnessSources extends ChainSources {
  /** The old host's node. Secret, because it holds a login. */
  readonly witnessHost?: NodeTarget | undefined;
  /** The event log that may hold a momentum of the right chain. */
  readonly record?: LogRef | undefined;
}

export type ReferenceReading = Reading<ChainExcerpt>;

export interface ReferenceAnswers {
  readonly readings: readonly ReferenceReading[];
  /** The answer of the old host's node: a witness of the chain, but not of the height. */
  readonly oldHost?: ReferenceReading | undefined;
  /** A momentum of the right chain from this stack's event log. */
  readonly recorded?: Block | undefined;
  /** The node's own chain; absent if nobody asked for it. */
  readonly own?: ChainExcerpt | undefined;
}

/** Momentums that a witness may be behind the node: an hour of them. */
const maxLag = 360;

const recordedName = "the momentum that this stack recorded";

/**
 * Compares a node with independent nodes: first the chains, by hashes of a height that both have, then the heights of
 * references on its chain. A reference that is down or lags is left out with a note. The node is on another chain if at
 * least as many witnesses contradict as confirm it, a single one only if none confirms it.
 *
 * `fault`: the node is on another chain, which nothing outweighs, or far from the height of at least two references.
 * `agrees`: its height is that of most references, and of at least two. `witnesses`: the names of those (references, the
 * old host's node, the recorded momentum) that have the node's momentum at the newest height that both have, without
 * those that are more than maxLag behind.
 */
export function compareReferences(
  height: number,
  { readings, oldHost, recorded, own }: ReferenceAnswers,
  tolerance: number,
) {
  const all = oldHost === undefined ? readings : [...readings, oldHost];
  const notes = listLeftOut(all);
  if (own === undefined) return { agrees: false, witnesses: [], notes };
  const chains: { readonly name: string; readonly chain: ChainExcerpt }[] = all
    .filter(isAnswered)
    .map((reading) => ({ name: reading.client.name, chain: reading }));
  if (recorded) chains.push({ name: recordedName, chain: { newest: recorded } });
  const compared = chains.map((each) => ({ ...each, ...compareChains(own, each.chain) }));
  const others = compared.filter(({ verdict }) => verdict === "other");
  const same = compared.filter(({ verdict }) => verdict === "same");
  const isFarBehind = (each: (typeof same)[number]) =>
    each.name !== recordedName && own.newest.height - each.height > maxLag;
  for (const { name, height: at } of same.filter(isFarBehind))
    notes.push(`${name} confirms no chain: it is far behind the node, at height ${at}`);
  const witnesses = same.filter((each) => !isFarBehind(each)).map(({ name }) => name);
  const [first] = others;
  if (first && (others.length > 1 ? others.length >= witnesses.length : witnesses.length === 0)) {
    const [mine, theirs] = [own, first.chain].map((chain) => hashAt(chain, first.height)?.slice(0, 12));
    const count = others.length > 1 ? ` (so say ${others.length} of them)` : "";
    const text = `the node is on another chain than the references: its momentum ${first.height} is ${mine}, that of ${first.name} is ${theirs}${count}`;
    return { fault: { kind: "otherChain" as const, text }, agrees: false, witnesses: [], notes };
  }
  const untold = compared.find((each) => each.verdict === "unsaid" && hashAt(own, each.height) === undefined);
  if (untold) {
    const text = `the node does not show its momentum ${untold.height}, so it can't be compared with the references' chain`;
    return { fault: { kind: "chainUntold" as const, text }, agrees: false, witnesses: [], notes };
  }
  for (const { name, height: at } of others)
    notes.push(`${name} is left out: it is on another chain than the node, by momentum ${at}`);
  const references = readings.filter(isAnswered).filter((each) => same.some(({ chain }) => chain === each));
  const { median = height, by, notes: odd } = agreeOnHeight(references, tolerance);
  const isClose = Math.abs(height - median) <= tolerance;
  return {
    fault:
      by > 1 && !isClose
        ? { kind: "contradicted" as const, text: `the node says synced at ${height}, the references are at ${median}` }
        : undefined,
    // If most references do not answer, the rest may be wrong.
    agrees: isClose && by > 1 && by * 2 > readings.length,
    witnesses,
    notes: [...notes, ...odd],
  };
}

/** Returns the height near which more than half of the references are, and how many these are. */
export function agreeOnHeight(
  references: readonly Answered<ChainExcerpt>[],
  tolerance: number,
): { readonly median?: number; readonly by: number; readonly notes: readonly string[] } {
  const words = references.map(({ client, newest }) => ({ name: client.name, height: newest.height }));
  const isClose = (a: number, b: number) => Math.abs(a - b) <= tolerance;
  const agreement = agreeOn(words, ({ height }) => height, findMedian, isClose);
  if (agreement.kind === "agreed") {
    const { word: median, by, others } = agreement;
    const notes = others.map(({ name, height }) => `${name} is at height ${height}, the others at ${median}`);
    return { median, by: by.length, notes };
  }
  if (words.length === 0) return { by: 0, notes: [] };
  const list = words.map(({ name, height }) => `${name} ${height}`).join(", ");
  return { by: 0, notes: [`the references disagree among themselves: ${list}`] };
}
