import { type ChainClient, createChainClient, openNodeChain } from "../chain/chain";
import { type ExcludedHost, readReferences } from "../chain/distinctReferences";
import { createNodeClient, type NodeTarget } from "../chain/node";
import { readVersionGaps } from "../chain/nodeVersion";
import { isAnswered, readNode } from "../chain/reading";
import { type Block, readOlderMomentums } from "../chain/sameChain";
import { type LogRef, readEvents } from "../eventLog/eventLog";
import { findValidEvents } from "../eventLog/guardFacts";
import type { Connection } from "../ssh/connection";
import { isOneMachine } from "../ssh/publicKey";
import type { SshTarget } from "../ssh/ssh";
import { openStore } from "../store/openStore";
import { systemClock } from "../util/clock";
import type { ReferenceAnswers, ReferenceReading, WitnessSources } from "./references";

/** Opens all that a lookup of a node asks: the node, its witnesses, and the versions that it needs. */
export function openNodeReader(
  target: NodeTarget,
  sources: Omit<WitnessSources, "tolerance">,
  connection: Connection,
  asksOldHost?: "always",
) {
  const own = openNodeChain("the node", target, connection);
  const witnesses = openWitnesses(sources, target, asksOldHost);
  return {
    client: createNodeClient(target, connection),
    readReferences: (newest: Block | undefined, limit?: number) =>
      witnesses.read(newest && { newest, client: own }, limit),
    readVersionGaps: (height: number) => readVersionGaps(target, height, connection),
    ...systemClock,
    closeWitnesses: () => witnesses.close(),
  };
}

/** The node that is compared. */
interface OwnChain {
  readonly client: ChainClient;
  readonly newest: Block;
}

/**
 * Opens the connections to a node's witnesses. The node's address and host key are empty while its host does not exist.
 * `first`: asks the old host only until the event log has a momentum, because the old host may be gone later.
 */
export function openWitnesses(
  { references, witnessHost, record }: Omit<WitnessSources, "tolerance">,
  { ssh }: { readonly ssh: Pick<SshTarget, "address" | "hostKey"> },
  asksOldHost: "always" | "first" = "first",
) {
  // A machine can't be its own witness under a second name.
  const isSelf = witnessHost && isOneMachine(witnessHost.ssh, ssh);
  const name = `the old host's node (${witnessHost?.ssh.address})`;
  const old = witnessHost && (isSelf ? oneself(name) : openNodeChain(name, witnessHost));
  const excluded: ExcludedHost[] = [
    ...(ssh.address === "" ? [] : [{ host: ssh.address, what: "this host itself" }]),
    ...(witnessHost ? [{ host: witnessHost.ssh.address, what: "the old host, which the program asks directly" }] : []),
  ];
  return {
    /**
     * Reads the witnesses' newest momentums, and those that are needed to compare them with the node. Never throws.
     * `limit` is in milliseconds, for each witness.
     */
    read: async (own: OwnChain | undefined, limit = 10_000): Promise<ReferenceAnswers> => {
      const recorded = await readWitnessed(record);
      const asked = recorded && asksOldHost === "first" ? undefined : old;
      const heights = own ? [own.newest.height] : [];
      const read = (client: ChainClient): Promise<ReferenceReading> =>
        readNode(client, ({ newest }) => readOlderMomentums({ newest }, client, heights, limit), limit);
      const [readings, oldHost] = await Promise.all([readReferences(references, excluded, read), asked && read(asked)]);
      const answers = { readings, oldHost, recorded };
      return own === undefined ? answers : { ...answers, own: await readOwnChain(own, answers, limit) };
    },
    close: () => old?.close(),
  };
}

/** Reads the node's momentums at the heights of its witnesses. Without an answer only its newest one is compared. */
async function readOwnChain(
  { newest, client }: OwnChain,
  { readings, oldHost, recorded }: ReferenceAnswers,
  limit: number,
) {
  const witnesses = [...readings, ...(oldHost ? [oldHost] : [])].filter(isAnswered);
  const blocks = [...witnesses.map((each) => each.newest), ...(recorded ? [recorded] : [])];
  const heights = blocks.map(({ height }) => height);
  const older = await readOlderMomentums({ newest }, client, heights, limit);
  return "fault" in older ? { newest } : { newest, ...older };
}

/** Returns a client whose calls all fail, for an old host that is this host itself. */
function oneself(name: string): ChainClient {
  const refuse = () => Promise.reject(new Error("it has this host's own host key: it is this host itself"));
  return createChainClient(name, refuse, () => undefined);
}

/** Returns the recorded momentum of the right chain. None if the log can't be read: the next write to it reports that. */
async function readWitnessed(place: LogRef | undefined): Promise<Block | undefined> {
  if (place === undefined) return undefined;
  const read = async () => readEvents(openStore(place.directory), place.pillar);
  const events = await read().catch(() => []);
  return findValidEvents(events, place.stack, "witnessed").findLast(({ details }) => details.witnessed)?.details
    .witnessed;
}
