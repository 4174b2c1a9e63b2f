import type { PillarOnChain, Produced } from "../chain/chain";
import { freshMomentum } from "../chain/freshMomentum";
import { durationText } from "../util/timeText";
import type { SourceReading } from "./source";

/** A reading that can be used. */
export interface Usable {
  readonly name: string;
  readonly recent: readonly Produced[];
  readonly newest: Produced;
  readonly pillar: PillarOnChain | null;
}

/** What several nodes say together: their common word, and who says it; what is odd about the others is in the notes. */
export type Agreement =
  | { readonly kind: "unknown"; readonly why: string; readonly notes: readonly string[] }
  | {
      readonly kind: "settled";
      readonly pillar: PillarOnChain | null;
      /** Who says so, the first that was asked first. */
      readonly by: readonly Usable[];
      readonly notes: readonly string[];
    };

/**
 * Weighs the answers of several nodes (pure). One without an answer, whose newest momentum is old, or that answers
 * nonsense is left out with its reason. Of those that contradict each other, about the chain or about the Pillar, more
 * than half decide; where there is no such majority, nothing is known.
 */
export function agree(readings: readonly SourceReading[]): Agreement {
  const checked = readings.map(checkOf);
  const notes = checked.flatMap((found) => ("fault" in found ? [`${found.name} is left out: ${found.fault}`] : []));
  const fresh = checked.flatMap((found) => ("fault" in found ? [] : [found]));

  const newest = Math.max(...fresh.map((usable) => usable.newest.timestamp));
  const current = fresh.filter((usable) => newest - usable.newest.timestamp <= freshMomentum);
  for (const { name, newest: own } of fresh.filter((usable) => !current.includes(usable)))
    notes.push(
      `${name} is left out: its newest momentum is ${durationText(newest - own.timestamp)} older than the others'`,
    );
  if (current.length === 0) return { kind: "unknown", why: notes.join("; ") || "nobody was asked", notes };

  // The newest height that all of them have.
  const common = Math.min(...current.map((usable) => usable.newest.height));
  const hashOf = ({ recent }: Usable) => recent.find(({ height }) => height === common)?.hash;
  const shows = (usable: Usable) => hashOf(usable) !== undefined;
  const same = majority(current.filter(shows), (usable) => hashOf(usable) ?? "");
  // Who is too far ahead to show it can't be compared.
  const chain = same && current.filter((usable) => same.includes(usable) || !shows(usable));
  if (chain === undefined) {
    const hashes = current.filter(shows).map((usable) => `${hashOf(usable)?.slice(0, 12)} at ${usable.name}`);
    const why = `they are on different chains: momentum ${common} is ${hashes.join(", ")}`;
    return { kind: "unknown", why, notes: [...notes, why] };
  }
  for (const { name } of current.filter((usable) => !chain.includes(usable)))
    notes.push(`${name} is left out: it is on another chain than the others, by momentum ${common}`);

  const by = majority(chain, wordOf);
  if (by === undefined) {
    const words = chain.map((usable) => `${usable.name} says ${wordOf(usable)}`);
    const why = `they contradict each other (right after an update in the wallet they do so for some seconds): ${words.join(", ")}`;
    return { kind: "unknown", why, notes: [...notes, why] };
  }
  for (const usable of chain.filter((each) => !by.includes(each)))
    notes.push(`${usable.name} contradicts the others: it says ${wordOf(usable)}`);
  return { kind: "settled", pillar: by[0]?.pillar ?? null, by, notes };
}

const wordOf = ({ pillar }: Usable) => (pillar === null ? "that nobody registered it" : pillar.producerAddress);

function checkOf({ name, clock, recent = [], pillar, error }: SourceReading): Usable | { name: string; fault: string } {
  if (error !== undefined) return { name, fault: error };
  const newest = recent.at(-1);
  if (newest === undefined || pillar === undefined || clock === undefined)
    return { name, fault: "it tells no momentum" };
  const first = newest.height - recent.length + 1;
  if (recent.some(({ height }, i) => height !== first + i)) return { name, fault: "its momentums are not in a row" };
  const age = clock - newest.timestamp;
  if (age > freshMomentum) return { name, fault: `it lags, its newest momentum is ${durationText(age)} old` };
  if (age < -freshMomentum)
    return { name, fault: `its newest momentum is ${durationText(-age)} ahead of its own clock` };
  return { name, recent, newest, pillar };
}

/** The group of more than half with the same key; undefined where there is none. */
function majority<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] | undefined {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()].find((group) => group.length * 2 > items.length);
}
