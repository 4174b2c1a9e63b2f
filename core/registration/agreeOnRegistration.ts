import { agreeOn } from "../chain/agreement";
import type { PillarOnChain } from "../chain/chainAnswers";
import { freshMomentumMs, isAnswered, type Unanswered } from "../chain/reading";
import { compareChains, hashAt, isSameChain, pickMajorityNode } from "../chain/sameChain";
import type { PillarAnswer, PillarReading } from "./pillarReadings";

export type SourceNote =
  | { readonly kind: "leftOut"; readonly reading: Unanswered }
  /** The node's newest momentum is older than the newest of all nodes. `by` is in milliseconds. */
  | { readonly kind: "behindOthers"; readonly name: string; readonly by: number }
  | { readonly kind: "otherChain"; readonly name: string; readonly height: number }
  | ({ readonly kind: "contradicts" } & PillarWord);

/** A node's answer: the Pillar's producer address, or null if the Pillar is not registered. */
interface PillarWord {
  readonly name: string;
  readonly address: string | null;
}

export type NoAgreement =
  | { readonly kind: "nobodyAsked" }
  /** No node answered usably. Each note holds one node's reason. */
  | { readonly kind: "nobodyTells"; readonly notes: readonly SourceNote[] }
  | {
      readonly kind: "chainsDiffer";
      readonly height: number;
      readonly hashes: readonly { readonly name: string; readonly hash: string }[];
    }
  | { readonly kind: "wordsDiffer"; readonly words: readonly PillarWord[] };

export type RegistrationAgreement = { readonly notes: readonly SourceNote[] } & (
  | { readonly kind: "unknown"; readonly why: NoAgreement }
  | {
      readonly kind: "settled";
      readonly pillar: PillarOnChain | null;
      /** The nodes that agree, in the order in which they were asked. */
      readonly by: readonly PillarAnswer[];
    }
);

/**
 * Decides what several nodes say about a Pillar. Leaves out, with a note, nodes without a usable answer and nodes that
 * lag. If the rest disagree, more than half of them decide; else the result is `unknown`.
 */
export function agreeOnPillar(readings: readonly PillarReading[]): RegistrationAgreement {
  if (readings.length === 0) return { kind: "unknown", why: { kind: "nobodyAsked" }, notes: [] };
  const told = readings.filter(isAnswered);
  const notes: SourceNote[] = readings.flatMap((reading) =>
    isAnswered(reading) ? [] : [{ kind: "leftOut" as const, reading }],
  );
  const newest = Math.max(...told.map((reading) => reading.newest.timestamp));
  const lag = (reading: PillarAnswer) => newest - reading.newest.timestamp;
  const current = told.filter((reading) => lag(reading) <= freshMomentumMs);
  for (const reading of told.filter((each) => !current.includes(each)))
    notes.push({ kind: "behindOthers", name: reading.client.name, by: lag(reading) });
  if (current.length === 0) return { kind: "unknown", why: { kind: "nobodyTells", notes }, notes };

  const same = agreeOn(current, (reading) => reading, pickMajorityNode, isSameChain);
  if (same.kind === "split") {
    // The newest height that all of these nodes have.
    const height = Math.min(...current.map((reading) => reading.newest.height));
    const hashes = current.map((reading) => ({
      name: reading.client.name,
      hash: hashAt(reading, height) ?? "not told",
    }));
    return { kind: "unknown", why: { kind: "chainsDiffer", height, hashes }, notes };
  }
  for (const { client, ...shown } of same.others) {
    const { verdict, height } = compareChains(same.word, shown);
    // A node without an answer counts as disagreeing.
    const untold = { client, fault: { kind: "gap", from: height, to: height } } as const;
    if (verdict === "unsaid") notes.push({ kind: "leftOut", reading: untold });
    else notes.push({ kind: "otherChain", name: client.name, height });
  }
  const chain = same.by;

  const words = agreeOn(chain, readAddress);
  if (words.kind === "split") return { kind: "unknown", why: { kind: "wordsDiffer", words: chain.map(toWord) }, notes };
  for (const reading of words.others) notes.push({ kind: "contradicts", ...toWord(reading) });
  return { kind: "settled", pillar: words.by[0]?.pillar ?? null, by: words.by, notes };
}

const readAddress = ({ pillar }: PillarAnswer) => pillar?.producerAddress ?? null;
const toWord = (reading: PillarAnswer): PillarWord => ({ name: reading.client.name, address: readAddress(reading) });
