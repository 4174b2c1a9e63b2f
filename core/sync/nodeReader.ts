import { type ChainClient, openNodeChain } from "../chain/chain.ts";
import { openChainView } from "../chain/chainView.ts";
import type { NodeTarget } from "../chain/node.ts";
import { readVersionGaps } from "../chain/nodeVersion.ts";
import { isAnswered, type NodeRole, readNode, readNodeId } from "../chain/reading.ts";
import { type Block, readOlderMomentums } from "../chain/sameChain.ts";
import { type LogRef, readEvents } from "../eventLog/eventLog.ts";
import { findValidEvents } from "../eventLog/guardFacts.ts";
import type { Connection } from "../ssh/connection.ts";
import { openStore } from "../store/openStore.ts";
import { systemClock } from "../util/clock.ts";
import { judgeWitnesses, type WitnessAnswers, type WitnessSources } from "./judgeWitnesses.ts";

/**
 * Opens all that a lookup of a node asks: the node, its witnesses, and the versions that it needs. The old host is asked
 * `ifNeeded`, if the other witnesses do not confirm the chain, because it may be gone later.
 */
export function openNodeReader(
  target: NodeTarget,
  { references, witnessHost, log }: Omit<WitnessSources, "tolerance">,
  connection: Connection,
  asksOldHost: "always" | "ifNeeded" = "ifNeeded",
) {
  const own = openNodeChain("the node", target, connection);
  const view = openChainView(target, { oldHost: witnessHost, references });
  /**
   * Reads the witnesses' newest momentums, and those that are needed to compare them with the node. Never throws.
   * `limit` is in milliseconds, for each witness.
   */
  const readWitnesses = async (newest: Block | undefined, limit = 10_000): Promise<WitnessAnswers> => {
    const heights = newest ? [newest.height] : [];
    const readWitness = (client: ChainClient) =>
      readNode(client, (answer) => readOlderMomentums(answer, client, heights, limit), limit);
    const ask = (role: NodeRole) => view.read(readWitness, [role]);
    const addOwn = async (answers: WitnessAnswers): Promise<WitnessAnswers> =>
      newest === undefined ? answers : { ...answers, own: await readOwnChain(own, newest, answers, limit) };
    const [recorded, readings, always] = await Promise.all([
      readWitnessed(log),
      ask("reference"),
      asksOldHost === "always" ? ask("oldHost") : [],
    ]);
    const answers = await addOwn({ readings, oldHost: always[0], recorded });
    // The heights do not matter here.
    const { witnesses } = judgeWitnesses(0, answers, Number.POSITIVE_INFINITY);
    if (witnessHost === undefined || always.length > 0 || witnesses.length > 0) return answers;
    return addOwn({ ...answers, oldHost: (await ask("oldHost"))[0] });
  };
  return {
    client: own,
    readWitnesses,
    readVersionGaps: (height: number) => readVersionGaps(own, target.versions, height),
    ...systemClock,
    closeWitnesses: view.close,
  };
}

/** Reads the node's momentums at the heights of its witnesses. Without an answer only its newest one is compared. */
async function readOwnChain(
  client: ChainClient,
  newest: Block,
  { readings, oldHost, recorded }: WitnessAnswers,
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
async function readWitnessed(log: LogRef | undefined): Promise<Block | undefined> {
  if (log === undefined) return undefined;
  const read = async () => readEvents(openStore(log.directory), log.pillar);
  const events = await read().catch(() => []);
  return findValidEvents(events, log.stack, "witnessed").findLast(({ details }) => details.witnessed)?.details
    .witnessed;
}
