import { agreeOn, medianOf } from "../chain/agreement";
import { chainOfReference } from "../chain/chain";
import { isTold, type NotTold, type Reading, readNode } from "../chain/reading";

/** A reference's name and what it says is the newest height. */
interface HeightWord {
  readonly name: string;
  readonly height: number;
}

/** What is odd about a reference. */
export type ReferenceNote =
  | { readonly kind: "leftOut"; readonly reading: NotTold }
  | ({ readonly kind: "onlyOne" } & HeightWord)
  | { readonly kind: "differ"; readonly words: readonly HeightWord[] }
  | ({ readonly kind: "odd"; readonly others: number } & HeightWord);

/** What the references say of a height, and what is odd about each of them. */
export interface ReferenceAgreement {
  /** `unknown` where fewer than two usable ones agree with each other. */
  readonly verdict: "agrees" | "disagrees" | "unknown";
  readonly median?: number;
  readonly notes: readonly ReferenceNote[];
}

/**
 * Compares a height with those of independent nodes (pure). Who is down or lags is named and left out; a single one
 * only warns; of two that differ nobody knows which one lies.
 *
 * @param tolerance momentums
 */
export function compareReferences(height: number, readings: readonly Reading[], tolerance: number): ReferenceAgreement {
  const notes: ReferenceNote[] = readings.flatMap((reading) =>
    isTold(reading) ? [] : [{ kind: "leftOut" as const, reading }],
  );
  const words = readings.filter(isTold).map(({ client, newest }) => ({ name: client.name, height: newest.height }));
  const [first, second] = words;
  const isClose = (one: number, other: number) => Math.abs(one - other) <= tolerance;
  if (first === undefined) return { verdict: "unknown", notes };
  if (second === undefined) {
    if (!isClose(height, first.height)) notes.push({ kind: "onlyOne", ...first });
    return { verdict: "unknown", median: first.height, notes };
  }
  const agreement = agreeOn(words, (word) => word.height, medianOf, isClose);
  if (agreement.kind === "split") return { verdict: "unknown", notes: [...notes, { kind: "differ", words }] };
  const { word: median, by, others } = agreement;
  for (const odd of others) notes.push({ kind: "odd", ...odd, others: median });
  if (!isClose(height, median)) return { verdict: "disagrees", median, notes };
  // Where most of them are out of sight, those that are left may be the liars: their word proves nothing.
  return { verdict: by.length * 2 > readings.length ? "agrees" : "unknown", median, notes };
}

/**
 * Asks the references for their newest momentums, all at once. Never throws.
 *
 * @param limit milliseconds for each
 */
export function readReferences(references: readonly string[], limit = 10_000): Promise<readonly Reading[]> {
  return Promise.all(references.map((url) => readNode(chainOfReference(url), async () => ({}), limit)));
}
