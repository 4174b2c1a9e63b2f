import { agreeOn } from "../chain/agreement.ts";
import type { ChainClient } from "../chain/chain.ts";
import type { PillarOnChain, Produced } from "../chain/chainAnswers.ts";
import type { ChainView } from "../chain/chainView.ts";
import { countNodesOnce } from "../chain/distinctNodes.ts";
import { type Answered, type NodeRole, type Reading, readNode, readWholePage } from "../chain/reading.ts";
import {
  type Block,
  compareChains,
  formatHashes,
  isSameChain,
  pickMajorityNode,
  readSharedHeights,
} from "../chain/sameChain.ts";

interface PillarWord {
  /** The newest momentums in ascending order, about {@link recentCount}. */
  readonly recent: readonly Produced[];
  /** Older momentums, to compare the node with nodes that are far behind it. */
  readonly older?: readonly Block[];
  readonly pillar: PillarOnChain | null;
}

export type PillarReading = Reading<PillarWord>;
export type PillarAnswer = Answered<PillarWord>;

/** Momentums: enough to compare two nodes' chains, and small enough to read on every `up`. */
const recentCount = 128;

/** Reads what one node says about a Pillar. Never throws, and takes at most `limit` milliseconds. */
export function readPillar(client: ChainClient, pillar: string, limit: number): Promise<PillarReading> {
  const ask = async ({ newest: { height } }: { readonly newest: Produced }) => {
    const [registered, recent] = await Promise.all([
      client.pillar(pillar),
      readWholePage(client, Math.max(1, height - recentCount + 1), height),
    ]);
    return "fault" in recent ? recent : { recent: recent.page, pillar: registered };
  };
  return readNode<PillarWord>(client, ask, limit);
}

/** Shorter than that of a host, because a reference that is down for good costs this time in every run. */
const referenceTimeoutMs = 5000;

/** Returns the milliseconds within which a node has to answer. */
export const getNodeTimeoutMs = (role: NodeRole): number => (role === "reference" ? referenceTimeoutMs : 10_000);

/** `by`: the nodes that agree, in the order in which they were asked. */
export type RegistrationAgreement = { readonly notes: readonly string[] } & (
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "settled"; readonly pillar: PillarOnChain | null; readonly by: readonly PillarAnswer[] }
);

/** Asks all nodes about a Pillar at once, and decides what they say. Never throws. Clients of `by` may be asked more. */
export async function askAboutPillar(view: ChainView, pillar: string): Promise<RegistrationAgreement> {
  const readings = await view.read((client, role) => readPillar(client, pillar, getNodeTimeoutMs(role)));
  return agreeOnPillar(await readSharedHeights(readings, referenceTimeoutMs));
}

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
