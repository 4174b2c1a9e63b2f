import { minuteOf } from "../../providers/gate/progress";
import { coin, judge, type RewardsReading } from "../../providers/retirement/rewards";
import type { ChainClient } from "../../providers/rpc/chain";

/** Rewards of a Pillar, for the screen. */
export interface RewardsSeen {
  readonly text: string;
  /** Since the switch to this host, or from it: `waiting` for the chain or for their collection. */
  readonly since?: "waiting" | "collected";
}

/**
 * What waits for its collection, and where this host produces, whether the first whole epoch since was paid and
 * collected. Few calls: the switch is known, so no epoch has to be looked through.
 */
export async function lookAtRewards(
  client: ChainClient,
  { withdrawAddress, switchedAt, epoch }: { withdrawAddress: string; switchedAt?: number | undefined; epoch: number },
  now: number,
): Promise<RewardsSeen> {
  const rewards = await client.rewards(withdrawAddress);
  if (rewards === "notOffered")
    return { text: `not known: the RPC of ${client.name} does not tell rewards; see the wallet` };
  const [newest] = rewards.rows;
  const { znn, qsr } = rewards.uncollected;
  const waits = `${coin(znn)} ZNN and ${coin(qsr)} QSR wait for their collection`;
  const paid = newest === undefined ? "nothing was paid yet" : `paid last: epoch ${newest.epoch}`;
  if (switchedAt === undefined) return { text: `${waits}; ${paid}` };
  const [first] = await client.momentums(1, 1);
  if (first === undefined) throw new Error(`${client.name} has no first momentum`);
  const judged = await judge(rewards, { genesis: first.timestamp, epoch, now }, async (time) => time > switchedAt);
  if (judged.says === "collected") return { text: judged.evidence, since: "collected" };
  if (judged.says === "fault") throw new Error(judged.why);
  return { text: `${judged.why}${dueText(judged.dueAt)}; ${paid}`, since: "waiting" };
}

/** What a survey for the destroy found of them, where it came so far (pure). */
export function rewardsOf(readings: readonly RewardsReading[]): RewardsSeen | undefined {
  const told = readings.find(({ says }) => says === "waiting" || says === "collected");
  if (told?.says === "collected") return { text: `${told.evidence}, says ${told.source}`, since: "collected" };
  if (told?.says === "waiting")
    return { text: `${told.why}${dueText(told.dueAt)}, says ${told.source}`, since: "waiting" };
  return undefined;
}

const dueText = (dueAt: number | undefined) => (dueAt === undefined ? "" : `; due about ${minuteOf(dueAt)}`);
