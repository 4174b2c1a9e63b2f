import { agreeOn, findMedian } from "../chain/agreement.ts";
import { countNodesOnce } from "../chain/distinctNodes.ts";
import type { NodeTarget } from "../chain/node.ts";
import { type Answered, type Identified, isAnswered, listLeftOut, type Reading } from "../chain/reading.ts";
import { type Block, type ChainExcerpt, compareChains, hashAt } from "../chain/sameChain.ts";
import type { LogRef } from "../eventLog/eventLog.ts";

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
  readonly log?: LogRef | undefined;
}

export type WitnessReading = Reading<ChainExcerpt>;

export interface WitnessAnswers {
  readonly readings: readonly WitnessReading[];
  /** The answer of the old host's node: a witness of the chain, but not of the height. */
  readonly oldHost?: WitnessReading | undefined;
  /** A momentum of the right chain from this stack's event log. */
  readonly recorded?: Block | undefined;
  /** The node's own chain; absent if nobody asked for it. */
  readonly own?: (ChainExcerpt & Pick<Identified, "id">) | undefined;
}

/** Momentums that a witness may be behind the node: an hour of them. */
const maxLag = 360;

/**
 * Compares a node with independent nodes: first the chains, by hashes of a height that both have, then the heights of
 * references on its chain. A reference that is down, lags or is too old is left out with a note.
 *
 * A contradiction of the node's chain is outweighed only if more witnesses confirm than contradict it. The recorded
 * momentum may be older than a fork: it confirms nothing where a reference contradicts. So the old host, which may be
 * the source of a fork, at most breaks a tie of references.
 *
 * `fault`: a contradiction that is not outweighed, or a height far from that of at least two references. Its kind is
 * `contradicted` if witnesses that agree leave open who is right. `agrees`: the height is that of most references, and
 * of at least two. `witnesses`: the names of those (references, the old host's node, the recorded momentum) that
 * confirm the node's chain, at a height at most maxLag below the node's.
 */
export function judgeWitnesses(
  height: number,
  { readings, oldHost, recorded, own }: WitnessAnswers,
  tolerance: number,
) {
  const all = oldHost === undefined ? readings : [...readings, oldHost];
  if (own === undefined) return { agrees: false, witnesses: [], notes: listLeftOut(all) };
  const isTwin = (...both: ChainExcerpt[]) => both.every((each) => compareChains(own, each).verdict === "same");
  const self = { client: { name: "the node itself" }, ...own };
  const { counted, notes } = countNodesOnce([self, ...all], isTwin);
  const memory = recorded && { client: { name: "the momentum that this stack recorded" }, newest: recorded };
  const compared = [...counted.slice(1), ...(memory ? [memory] : [])].map((chain) => {
    return { name: chain.client.name, chain, isRecorded: chain === memory, ...compareChains(own, chain) };
  });
  const others = compared.filter(({ verdict }) => verdict === "other");
  const same = compared.filter(({ verdict }) => verdict === "same");
  const isFarBehind = ({ height: at }: (typeof compared)[number]) => own.newest.height - at > maxLag;
  const isContradicted = others.some(({ chain }) => readings.some((reading) => reading === chain));
  const confirming = same.filter((each) => !isFarBehind(each) && !(isContradicted && each.isRecorded));
  const witnesses = confirming.map(({ name }) => name);
  // The recorded momentum falls behind on every healthy host.
  for (const each of same.filter(isFarBehind))
    if (witnesses.length === 0 || !each.isRecorded)
      notes.push(`${each.name} confirms no chain: it is far behind the node, at height ${each.height}`);
  const [first] = others;
  if (first && witnesses.length <= others.length) {
    const describe = ({ name, chain, height: at }: typeof first) => {
      const [mine, theirs] = [own, chain].map((each) => hashAt(each, at)?.slice(0, 12));
      return `its momentum ${at} is ${mine}, that of ${name} is ${theirs}`;
    };
    const agreeing = same.filter((each) => each.isRecorded || !isFarBehind(each));
    const isOther = others.length > 1 ? others.length >= agreeing.length : agreeing.length === 0;
    const [kind, what] = isOther
      ? (["otherChain", "the node is on another chain than the references"] as const)
      : (["contradicted", "the witnesses disagree on the node's chain"] as const);
    const count = others.length > 1 ? ` (so say ${others.length} of them)` : "";
    const text = `${what}: ${describe(first)}${count}`;
    notes.push(...others.slice(1).map((each) => `another contradiction: ${describe(each)}`));
    notes.push(...agreeing.map(({ name, height: at }) => `${name} has the node's momentum ${at}`));
    return { fault: { kind, text }, agrees: false, witnesses: [], notes };
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
