import { agreeOn } from "../chain/agreement";
import type { PillarOnChain } from "../chain/chainAnswers";
import { freshMomentum } from "../chain/freshMomentum";
import { isAnswered, type Unanswered } from "../chain/reading";
import { compareChains, hashAt, isSameChain, pickMajorityNode } from "../chain/sameChain";
import type { PillarAnswer, PillarReading } from "./source";

/** What is odd about a node that was asked. */
export type SourceNote =
  | { readonly kind: "leftOut"; readonly reading: Unanswered }
  /** Its newest momentum is so many milliseconds older than the others'. */
  | { readonly kind: "behindOthers"; readonly name: string; readonly by: number }
  /** By the hash of the momentum of that height. */
  | { readonly kind: "otherChain"; readonly name: string; readonly height: number }
  | ({ readonly kind: "contradicts" } & PillarWord);

/** The producer address that a node says is registered; null: none is. */
interface PillarWord {
  readonly name: string;
  readonly address: string | null;
}

/** Why nothing is known. */
export type NoAgreement =
  | { readonly kind: "nobodyAsked" }
  /** The notes say why. */
  | { readonly kind: "nobodyTells"; readonly notes: readonly SourceNote[] }
  /** They have different momentums at a height. */
  | {
      readonly kind: "chainsDiffer";
      readonly height: number;
      readonly hashes: readonly { readonly name: string; readonly hash: string }[];
    }
  | { readonly kind: "wordsDiffer"; readonly words: readonly PillarWord[] };

/** What several nodes say together: their common word, and who says it; what is odd about the others is in the notes. */
export type RegistrationAgreement = { readonly notes: readonly SourceNote[] } & (
  | { readonly kind: "unknown"; readonly why: NoAgreement }
  | {
      readonly kind: "settled";
      readonly pillar: PillarOnChain | null;
      /** Who says so, the first that was asked first. */
      readonly by: readonly PillarAnswer[];
    }
);

/**
 * Weighs the answers of several nodes. One whose word does not count, or whose newest momentum is older than the
 * others', is left out with its reason. Of those that contradict each other, about the chain or about the Pillar, more
 * than half decide; where there is no such majority, nothing is known.
 */
export function agreeOnPillar(readings: readonly PillarReading[]): RegistrationAgreement {
  if (readings.length === 0) return { kind: "unknown", why: { kind: "nobodyAsked" }, notes: [] };
  const told = readings.filter(isAnswered);
  const notes: SourceNote[] = readings.flatMap((reading) =>
    isAnswered(reading) ? [] : [{ kind: "leftOut" as const, reading }],
  );
  const newest = Math.max(...told.map((reading) => reading.newest.timestamp));
  const lag = (reading: PillarAnswer) => newest - reading.newest.timestamp;
  const current = told.filter((reading) => lag(reading) <= freshMomentum);
  for (const reading of told.filter((each) => !current.includes(each)))
    notes.push({ kind: "behindOthers", name: reading.client.name, by: lag(reading) });
  if (current.length === 0) return { kind: "unknown", why: { kind: "nobodyTells", notes }, notes };

  const same = agreeOn(current, (reading) => reading, pickMajorityNode, isSameChain);
  if (same.kind === "split") {
    // The newest height that all of them have.
    const height = Math.min(...current.map((reading) => reading.newest.height));
    const hashes = current.map((reading) => ({
      name: reading.client.name,
      hash: hashAt(reading, height) ?? "not told",
    }));
    return { kind: "unknown", why: { kind: "chainsDiffer", height, hashes }, notes };
  }
  for (const { client, ...shown } of same.others) {
    const { verdict, height } = compareChains(same.word, shown);
    // Who can't say does not agree.
    const untold = { client, fault: { kind: "gap", from: height, to: height } } as const;
    if (verdict === "unsaid") notes.push({ kind: "leftOut", reading: untold });
    else notes.push({ kind: "otherChain", name: client.name, height });
  }
  const chain = same.by;

  const words = agreeOn(chain, addressOf);
  if (words.kind === "split") return { kind: "unknown", why: { kind: "wordsDiffer", words: chain.map(wordOf) }, notes };
  for (const reading of words.others) notes.push({ kind: "contradicts", ...wordOf(reading) });
  return { kind: "settled", pillar: words.by[0]?.pillar ?? null, by: words.by, notes };
}

const addressOf = ({ pillar }: PillarAnswer) => pillar?.producerAddress ?? null;
const wordOf = (reading: PillarAnswer): PillarWord => ({ name: reading.client.name, address: addressOf(reading) });
