import { type ChainClient, openNodeChain } from "../chain/chain.ts";
import { type ExcludedHost, readClients, readReferences } from "../chain/distinctReferences.ts";
import { createNodeClient, type NodeTarget } from "../chain/node.ts";
import { addVersionFault, readVersionGaps } from "../chain/nodeVersion.ts";
import { isAnswered, readNode, readNodeId } from "../chain/reading.ts";
import { type Block, readOlderMomentums } from "../chain/sameChain.ts";
import { type LogRef, readEvents } from "../eventLog/eventLog.ts";
import { findValidEvents } from "../eventLog/guardFacts.ts";
import type { Connection } from "../ssh/connection.ts";
import { isOneMachine } from "../ssh/publicKey.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import { openStore } from "../store/openStore.ts";
import { systemClock } from "../util/clock.ts";
import { compareReferences, type ReferenceAnswers, type WitnessSources } from "./references.ts";

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
 * `ifNeeded`: asks the old host only if the other witnesses do not confirm the chain, because it may be gone later.
 */
export function openWitnesses(
  { references, witnessHost, record }: Omit<WitnessSources, "tolerance">,
  { ssh, versions }: Pick<NodeTarget, "versions"> & { readonly ssh: Pick<SshTarget, "address" | "hostKey"> },
  asksOldHost: "always" | "ifNeeded" = "ifNeeded",
) {
  // A machine can't be its own witness under a second name.
  const isSelf = witnessHost && isOneMachine(witnessHost.ssh, ssh);
  const old = witnessHost && {
    client: openNodeChain(`the old host's node (${witnessHost.ssh.address})`, witnessHost),
    fault: isSelf ? "it has this host's own host key: it is this host itself" : undefined,
  };
  const excluded: ExcludedHost[] = [
    ...(ssh.address === "" ? [] : [{ host: ssh.address, what: "this host itself" }]),
    ...(witnessHost ? [{ host: witnessHost.ssh.address, what: "the old host, which the program asks directly" }] : []),
  ];
  /** Versions that suffice, by the witness's name, so that a gate does not ask at each lookup. */
  const known = new Map<string, string>();
  return {
    /**
     * Reads the witnesses' newest momentums, and those that are needed to compare them with the node. Never throws.
     * `limit` is in milliseconds, for each witness.
     */
    read: async (own: OwnChain | undefined, limit = 10_000): Promise<ReferenceAnswers> => {
      const heights = own ? [own.newest.height] : [];
      const readWitness = async (client: ChainClient) =>
        addVersionFault(
          await readNode(client, ({ newest }) => readOlderMomentums({ newest }, client, heights, limit), limit),
          versions,
          known,
        );
      const addOwn = async (answers: ReferenceAnswers): Promise<ReferenceAnswers> =>
        own === undefined ? answers : { ...answers, own: await readOwnChain(own, answers, limit) };
      const readOld = async () => old && (await readClients([old], readWitness))[0];
      const [recorded, readings, oldHost] = await Promise.all([
        readWitnessed(record),
        readReferences(references, excluded, readWitness),
        asksOldHost === "always" ? readOld() : undefined,
      ]);
      const answers = await addOwn({ readings, oldHost, recorded });
      // The heights do not matter here.
      const { witnesses } = compareReferences(0, answers, Number.POSITIVE_INFINITY);
      if (old === undefined || oldHost !== undefined || witnesses.length > 0) return answers;
      return addOwn({ ...answers, oldHost: await readOld() });
    },
    close: () => old?.client.close(),
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
  const [older, id] = await Promise.all([
    readOlderMomentums({ newest }, client, heights, limit),
    witnesses.length > 0 ? readNodeId(client) : undefined,
  ]);
  return { id, newest, ...("fault" in older ? {} : older) };
}

/** Returns the recorded momentum of the right chain. None if the log can't be read: the next write to it reports that. */
async function readWitnessed(place: LogRef | undefined): Promise<Block | undefined> {
  if (place === undefined) return undefined;
  const read = async () => readEvents(openStore(place.directory), place.pillar);
  const events = await read().catch(() => []);
  return findValidEvents(events, place.stack, "witnessed").findLast(({ details }) => details.witnessed)?.details
    .witnessed;
}
