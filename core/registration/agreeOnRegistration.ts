import { agreeOn } from "../chain/agreement.ts";
import type { PillarOnChain } from "../chain/chainAnswers.ts";
import { countNodesOnce } from "../chain/distinctNodes.ts";
import { compareChains, formatHashes, isSameChain, pickMajorityNode } from "../chain/sameChain.ts";
import type { PillarAnswer, PillarReading } from "./pillarReadings.ts";

/** `by`: the nodes that agree, in the order in which they were asked. */
export type RegistrationAgreement = { readonly notes: readonly string[] } & (
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "settled"; readonly pillar: PillarOnChain | null; readonly by: readonly PillarAnswer[] }
);

/** Decides what nodes say about a Pillar: what more than half of those with a usable answer say, or `unknown`. */
export function agreeOnPillar(readings: readonly PillarReading[]): RegistrationAgreement {
  const isTwin = (one: PillarAnswer, other: PillarAnswer) =>
    readAddress(one) === readAddress(other) && isSameChain(one, other);
  const { counted: told, notes } = countNodesOnce(readings, isTwin);
  const unknown = (why: string) => ({ kind: "unknown", why, notes }) as const;
  if (told.length === 0) return unknown(notes.join("; ") || "no node was asked");

  const same = agreeOn(told, (reading) => reading, pickMajorityNode, isSameChain);
  if (same.kind === "split") {
    // The newest height that all of these nodes have.
    const height = Math.min(...told.map((reading) => reading.newest.height));
    return unknown(`the nodes are on different chains: ${formatHashes(told, height)}`);
  }
  for (const reading of same.others) {
    const { height } = compareChains(same.word, reading);
    notes.push(`${reading.client.name} is left out: it is on another chain than the others, by momentum ${height}`);
  }

  const words = agreeOn(same.by, readAddress);
  if (words.kind === "split") {
    const list = same.by.map((reading) => `${reading.client.name} says ${formatAddress(reading)}`);
    return unknown(
      `the nodes contradict each other (right after an update in the wallet they do so for some seconds): ${list.join(", ")}`,
    );
  }
  for (const reading of words.others)
    notes.push(`${reading.client.name} contradicts the others: it says ${formatAddress(reading)}`);
  return { kind: "settled", pillar: words.by[0]?.pillar ?? null, by: words.by, notes };
}

const readAddress = ({ pillar }: PillarAnswer) => pillar?.producerAddress ?? null;
const formatAddress = (reading: PillarAnswer) => readAddress(reading) ?? "that nobody registered it";
