import { agreeOn } from "../chain/agreement";
import type { PillarOnChain } from "../chain/chainAnswers";
import { createGapFault, createLeftOutNote, freshMomentumMs, isAnswered, type SourceNote } from "../chain/reading";
import { compareChains, hashAt, isSameChain, pickMajorityNode } from "../chain/sameChain";
import { formatDuration } from "../util/timeText";
import type { PillarAnswer, PillarReading } from "./pillarReadings";

export type RegistrationAgreement = { readonly notes: readonly SourceNote[] } & (
  | { readonly kind: "unknown"; readonly why: SourceNote }
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
  if (readings.length === 0) return unknown({ key: "nobodyAsked", text: "no node was asked" });
  const told = readings.filter(isAnswered);
  const notes = readings.flatMap((reading) => (isAnswered(reading) ? [] : [createLeftOutNote(reading)]));
  const newest = Math.max(...told.map((reading) => reading.newest.timestamp));
  const lag = (reading: PillarAnswer) => newest - reading.newest.timestamp;
  const current = told.filter((reading) => lag(reading) <= freshMomentumMs);
  for (const reading of told.filter((each) => !current.includes(each)))
    notes.push(
      note(
        "behind",
        reading,
        `is left out: its newest momentum is ${formatDuration(lag(reading))} older than the others'`,
      ),
    );
  if (current.length === 0) return unknown({ key: join(notes, "key", ","), text: join(notes, "text", "; ") }, notes);

  const same = agreeOn(current, (reading) => reading, pickMajorityNode, isSameChain);
  if (same.kind === "split") {
    // The newest height that all of these nodes have.
    const height = Math.min(...current.map((reading) => reading.newest.height));
    const hashes = current.map(
      (reading) => `${(hashAt(reading, height) ?? "not shown").slice(0, 12)} at ${reading.client.name}`,
    );
    const text = `the nodes are on different chains: momentum ${height} is ${hashes.join(", ")}`;
    return unknown({ key: "chainsDiffer", text }, notes);
  }
  for (const reading of same.others) {
    const { verdict, height } = compareChains(same.word, reading);
    // A node without an answer counts as disagreeing.
    if (verdict === "unsaid")
      notes.push(createLeftOutNote({ client: reading.client, fault: createGapFault(height, height) }));
    else
      notes.push(
        note("otherChain", reading, `is left out: it is on another chain than the others, by momentum ${height}`),
      );
  }
  const chain = same.by;

  const words = agreeOn(chain, readAddress);
  if (words.kind === "split") {
    const list = chain.map((reading) => `${reading.client.name} says ${formatAddress(reading)}`);
    const text = `the nodes contradict each other (right after an update in the wallet they do so for some seconds): ${list.join(", ")}`;
    return unknown({ key: text, text }, notes);
  }
  for (const reading of words.others)
    notes.push(note("contradicts", reading, `contradicts the others: it says ${formatAddress(reading)}`));
  return { kind: "settled", pillar: words.by[0]?.pillar ?? null, by: words.by, notes };
}

const readAddress = ({ pillar }: PillarAnswer) => pillar?.producerAddress ?? null;
const formatAddress = (reading: PillarAnswer) => readAddress(reading) ?? "that nobody registered it";

function unknown(why: SourceNote, notes: readonly SourceNote[] = []): RegistrationAgreement {
  return { kind: "unknown", why, notes };
}

function note(key: string, { client: { name } }: PillarAnswer, text: string): SourceNote {
  return { key: `${key} ${name}`, text: `${name} ${text}` };
}

function join(notes: readonly SourceNote[], field: keyof SourceNote, separator: string): string {
  return notes.map((each) => each[field]).join(separator);
}
