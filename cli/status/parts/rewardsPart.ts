import type { ChainClient } from "../../../core/chain/chain";
import type { ProducerSwitch } from "../../../core/registration/findSwitch";
import { formatDue } from "../../../core/retirement/lossRules";
import { formatCoin, judgeRewards, type RewardsReading } from "../../../core/retirement/readRewards";

export interface RewardsPart {
  readonly text: string;
  /** State of the rewards since the switch to or from this host. `waiting`: not paid or not collected yet. */
  readonly since?: "waiting" | "collected";
}

/**
 * Reads uncollected rewards and, if this host produces, whether the first whole epoch since the switch was collected.
 */
export async function readRewardsPart(
  client: ChainClient,
  query: { readonly withdrawAddress: string; switched?: ProducerSwitch | undefined; epoch: number },
  now: number,
): Promise<RewardsPart> {
  const { withdrawAddress, switched, epoch } = query;
  const rewards = await client.rewards(withdrawAddress);
  const [newest] = rewards.rows;
  const { znn, qsr } = rewards.uncollected;
  const waits = `${formatCoin(znn)} ZNN and ${formatCoin(qsr)} QSR are not collected`;
  const paid = newest === undefined ? "nothing was paid yet" : `paid last: epoch ${newest.epoch}`;
  if (switched === undefined) return { text: `${waits}; ${paid}` };
  const [first] = await client.momentums(1, 1);
  if (first === undefined) throw new Error(`${client.name} has no first momentum`);
  // Every slot after the last momentum of the earlier address belongs to this host.
  const whole = switched.before?.at ?? switched.at;
  const judged = await judgeRewards(rewards, { genesis: first.timestamp, epoch, now }, async (time) => time > whole);
  if (judged.says === "fault") throw new Error(judged.text);
  if (judged.says === "collected") return { text: judged.text, since: "collected" };
  return { text: `${judged.text}${formatDue(judged.dueAt)}; ${paid}`, since: "waiting" };
}

/** Describes the rewards by the survey for a destroy; undefined if it did not read them. */
export function describeRewards(readings: readonly RewardsReading[]): RewardsPart | undefined {
  for (const { says, text, dueAt, source } of readings)
    if (says !== "fault") return { text: `${text}${formatDue(dueAt)}, says ${source}`, since: says };
  return undefined;
}
