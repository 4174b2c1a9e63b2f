import type { ChainClient } from "../chain/chain";
import type { PaidEpoch, RewardRow, Rewards } from "../chain/chainAnswers";
import { networkPaceMs } from "../chain/elections";
import { formatDuration, formatUtcMinute } from "../util/timeText";
import { isNewProducerSince, type Producers } from "./successorProduction";

export type RewardsReading =
  | { readonly source: string; readonly says: "fault"; readonly why: string }
  /** The node lacks the reward methods. From a day after the switch, the operator's word replaces its answer. */
  | { readonly source: string; readonly says: "notOffered"; readonly aDayAfter: boolean }
  /** The chain does not say why the epoch paid nothing, so the operator's word decides. */
  | { readonly source: string; readonly says: "paidNothing"; readonly why: string }
  | {
      readonly source: string;
      readonly says: "waiting";
      readonly why: string;
      readonly dueAt?: number;
      /** Only this address's wallet can collect the rewards. */
      readonly rewardAddress?: string;
    }
  | { readonly source: string; readonly says: "collected"; readonly evidence: string };

export interface RewardsQuestion extends Producers {
  readonly pillar: string;
  readonly withdrawAddress: string;
  /** Length of an epoch in milliseconds. */
  readonly epoch: number;
}

const dayMs = 24 * 3_600_000;
const minuteMs = 60_000;

/**
 * Returns an epoch's earliest and latest payment, in milliseconds after its end: due after an hour, paid by the
 * contract's next update, once in 300 momentums. Both scale with the length of an epoch.
 */
const payoutDelay = (epoch: number) => ({
  from: (60 * minuteMs * epoch) / dayMs,
  to: ((60 * minuteMs + 300 * networkPaceMs) * epoch) / dayMs,
});

/**
 * Asks one node whether the rewards of the first whole epoch after the switch were paid and collected. Never throws. An
 * epoch is whole if the new producer had the first momentum of either address in it. Collecting takes all: if
 * less waits than was paid since the switch, it was collected. A Pillar that gives all to its delegators is never paid.
 */
export async function readRewards(
  client: ChainClient,
  question: RewardsQuestion,
  now: number,
): Promise<RewardsReading> {
  const source = client.name;
  try {
    const [first] = await client.momentums(1, 1);
    if (first === undefined) return { source, says: "fault", why: "it has no first momentum" };
    const isAfterSwitch = (time: number) => isNewProducerSince(client, question, time);
    const rewards = await client.rewards(question.withdrawAddress);
    if (rewards === "notOffered")
      return { source, says: "notOffered", aDayAfter: await isAfterSwitch(now - Math.min(dayMs, question.epoch)) };
    const paid = await client.paidEpochs(question.pillar);
    const calendar = { genesis: first.timestamp, epoch: question.epoch, now };
    const judged = await judgeRewards(rewards, calendar, isAfterSwitch, paid);
    return { source, ...judged, ...(judged.says === "waiting" ? { rewardAddress: question.withdrawAddress } : {}) };
  } catch (error) {
    return { source, says: "fault", why: (error as Error).message };
  }
}

/** `genesis` and `now`: unix milliseconds. `epoch`: length in milliseconds. */
interface Calendar {
  readonly genesis: number;
  readonly epoch: number;
  readonly now: number;
}

/** Judges the rewards. @param isAfterSwitch returns true if all slots since a time (Unix ms) are the new producer's */
export async function judgeRewards(
  { rows, uncollected }: Rewards,
  { genesis, epoch, now }: Calendar,
  isAfterSwitch: (time: number) => Promise<boolean>,
  figures: readonly PaidEpoch[] = [],
): Promise<
  | { says: "fault" | "paidNothing"; why: string }
  | { says: "waiting"; why: string; dueAt?: number }
  | { says: "collected"; evidence: string }
> {
  const running = Math.floor((now - genesis) / epoch);
  if (rows.some((row) => row.epoch >= running))
    return {
      says: "fault",
      why: `epoch ${rows[0]?.epoch} is paid while epoch ${running} still runs: does pillar-host:network.epoch fit this chain?`,
    };
  const startOf = (number: number) => genesis + number * epoch;
  const count = await countLeading(rows.length, (at) => isAfterSwitch(startOf(rows[at]?.epoch ?? 0)));
  const whole: readonly RewardRow[] = rows.slice(0, count);
  const first = whole.at(-1);
  if (first === undefined) {
    if (!(await isAfterSwitch(now)))
      return { says: "waiting", why: "the switch is still to come: the successor's address does not produce" };
    const next = await findFirstWhole(running, (number) => isAfterSwitch(startOf(number)));
    const { from, to } = payoutDelay(epoch);
    const ends = next < running ? "has ended" : `ends ${formatUtcMinute(startOf(next + 1))}`;
    return {
      says: "waiting",
      why: `the first whole epoch after the switch, ${next}, is not paid yet (it ${ends}; rewards come ${formatDuration(from)} to ${formatDuration(to)} after it)`,
      dueAt: startOf(next + 1) + to,
    };
  }
  const sum = (coin: "znn" | "qsr") => whole.reduce((total, row) => total + row[coin], 0n);
  const paid = { znn: sum("znn"), qsr: sum("qsr") };
  if (paid.znn + paid.qsr === 0n) {
    const own = figures.find((each) => each.epoch === first.epoch);
    const paidNothing = `epoch ${first.epoch}, the first whole one after the switch, paid nothing`;
    if (own?.givesAll)
      return { says: "collected", evidence: `${paidNothing}: all rewards go to those who delegate to the Pillar` };
    if (own?.produced === 0)
      return { says: "waiting", why: `${paidNothing}: none of ${own.expected} momentums was produced in it` };
    return { says: "paidNothing", why: paidNothing };
  }
  const collected = paid.znn > 0n ? uncollected.znn < paid.znn : uncollected.qsr < paid.qsr;
  const coins = ({ znn, qsr }: { znn: bigint; qsr: bigint }) => `${formatCoin(znn)} ZNN and ${formatCoin(qsr)} QSR`;
  if (!collected)
    return {
      says: "waiting",
      why: `paid since epoch ${first.epoch}, and not collected: ${coins(uncollected)} wait (collect them in the wallet)`,
    };
  return {
    says: "collected",
    evidence: `epoch ${first.epoch}, the first whole one after the switch, was paid, and the rewards were collected (${coins(paid)} paid since, ${coins(uncollected)} wait)`,
  };
}

/** Finds the first whole unpaid epoch: the one before the running epoch, the running one, or the next. */
async function findFirstWhole(running: number, isAfterSwitch: (epoch: number) => Promise<boolean>): Promise<number> {
  if (!(await isAfterSwitch(running))) return running + 1;
  return running > 0 && (await isAfterSwitch(running - 1)) ? running - 1 : running;
}

/** Formats an amount that is given in a coin's smallest units (8 decimals). */
export function formatCoin(amount: bigint): string {
  const whole = amount / 100_000_000n;
  const rest = String(amount % 100_000_000n)
    .padStart(8, "0")
    .replace(/0+$/, "");
  return rest === "" ? String(whole) : `${whole}.${rest}`;
}

/** Counts the items before the first "no" with few questions. Each later item must be a "no", too. */
async function countLeading(count: number, isYes: (at: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, 0];
  // Try small counts first: usually it is 0 or 1.
  while (high < count && (await isYes(high))) [low, high] = [high + 1, high * 2 + 1];
  high = Math.min(high, count);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isYes(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
