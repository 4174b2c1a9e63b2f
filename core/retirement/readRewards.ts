import type { ChainClient } from "../chain/chain";
import type { PaidEpoch, RewardRow, Rewards } from "../chain/chainAnswers";
import { networkPaceMs } from "../chain/networkPace";
import { durationText, minuteText } from "../util/timeText";
import { isSuccessorsSince } from "./successorProduction";

/** What the chain says of the Pillar's rewards since the switch. */
export type RewardsReading =
  | { readonly source: string; readonly says: "fault"; readonly why: string }
  /** The node does not know the methods; the operator's own word stands for it, a day after the switch at the earliest. */
  | { readonly source: string; readonly says: "notOffered"; readonly aDayAfter: boolean }
  /** Paid, and nothing came: the chain does not tell why, so that the operator's own word stands for it. */
  | { readonly source: string; readonly says: "paidNothing"; readonly why: string }
  /** `rewardAddress`: its wallet alone collects. */
  | {
      readonly source: string;
      readonly says: "waiting";
      readonly why: string;
      readonly dueAt?: number;
      /** They wait to be collected. */
      readonly isPaid?: true;
      readonly rewardAddress?: string;
    }
  | { readonly source: string; readonly says: "collected"; readonly evidence: string };

export interface RewardsQuestion {
  readonly pillar: string;
  readonly own?: string | undefined;
  readonly successor: string;
  readonly withdrawAddress: string;
  /** Milliseconds. */
  readonly epoch: number;
}

const day = 24 * 3_600_000;
const minute = 60_000;

/**
 * When an ended epoch is paid, in milliseconds after its end: an hour later it is due, and the contract's updates,
 * each 300 momentums, pay what is due. A network in a hurry has all of that in proportion.
 */
const distribution = (epoch: number) => ({
  from: (60 * minute * epoch) / day,
  to: ((60 * minute + 300 * networkPaceMs) * epoch) / day,
});

/**
 * Whether the rewards of the first whole epoch after the switch were paid and collected, as one node tells it. Never
 * throws.
 *
 * An epoch is whole after the switch where the first of the two addresses that produced in it was the successor's.
 * Collecting takes all that waits: what waits afterwards is less than what was paid since the switch. A Pillar that gives
 * everything to its delegators is paid nothing, ever.
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
    const isSuccessors = (time: number) => isSuccessorsSince(client, question, time);
    const rewards = await client.rewards(question.withdrawAddress);
    if (rewards === "notOffered")
      return { source, says: "notOffered", aDayAfter: await isSuccessors(now - Math.min(day, question.epoch)) };
    const paid = await client.paidEpochs(question.pillar);
    const calendar = { genesis: first.timestamp, epoch: question.epoch, now };
    const judged = await judgeRewards(rewards, calendar, isSuccessors, paid);
    return { source, ...judged, ...(judged.says === "waiting" ? { rewardAddress: question.withdrawAddress } : {}) };
  } catch (error) {
    return { source, says: "fault", why: (error as Error).message };
  }
}

/** Unix milliseconds of the chain's first momentum and of now; an epoch's length in milliseconds. */
interface Calendar {
  readonly genesis: number;
  readonly epoch: number;
  readonly now: number;
}

/**
 * Decides about the rewards.
 *
 * @param isSuccessors whether all slots since a time are the successor's; false from some time on backwards
 * @param figures the Pillar's paid epochs, where the node tells them
 */
export async function judgeRewards(
  { rows, uncollected }: Rewards,
  { genesis, epoch, now }: Calendar,
  isSuccessors: (time: number) => Promise<boolean>,
  figures: readonly PaidEpoch[] = [],
): Promise<
  | { says: "fault" | "paidNothing"; why: string }
  | { says: "waiting"; why: string; dueAt?: number; isPaid?: true }
  | { says: "collected"; evidence: string }
> {
  const running = Math.floor((now - genesis) / epoch);
  if (rows.some((row) => row.epoch >= running))
    return {
      says: "fault",
      why: `it has paid epoch ${rows[0]?.epoch} while epoch ${running} runs: does pillar-host:network.epoch fit this chain?`,
    };
  const startOf = (number: number) => genesis + number * epoch;
  const count = await leading(rows.length, (at) => isSuccessors(startOf(rows[at]?.epoch ?? 0)));
  const whole: readonly RewardRow[] = rows.slice(0, count);
  const first = whole.at(-1);
  if (first === undefined) {
    if (!(await isSuccessors(now)))
      return { says: "waiting", why: "the switch is still to come: the successor's address does not produce" };
    const next = await firstWhole(running, (number) => isSuccessors(startOf(number)));
    const { from, to } = distribution(epoch);
    const ends = next < running ? "has ended" : `ends ${minuteText(startOf(next + 1))}`;
    return {
      says: "waiting",
      why: `the first whole epoch after the switch, ${next}, is not paid yet (it ${ends}; rewards come ${durationText(from)} to ${durationText(to)} after it)`,
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
  const coins = ({ znn, qsr }: { znn: bigint; qsr: bigint }) => `${coin(znn)} ZNN and ${coin(qsr)} QSR`;
  if (!collected)
    return {
      says: "waiting",
      isPaid: true,
      why: `paid since epoch ${first.epoch}, and not collected: ${coins(uncollected)} wait (collect them in the wallet)`,
    };
  return {
    says: "collected",
    evidence: `epoch ${first.epoch}, the first whole one after the switch, was paid, and the rewards were collected (${coins(paid)} paid since, ${coins(uncollected)} wait)`,
  };
}

/** The first epoch that the successor's address began: the running one, one before it that is not paid yet, or the next. */
async function firstWhole(running: number, isSuccessors: (epoch: number) => Promise<boolean>): Promise<number> {
  if (!(await isSuccessors(running))) return running + 1;
  return running > 0 && (await isSuccessors(running - 1)) ? running - 1 : running;
}

/** As `12 345.5`, of the smallest units (8 decimals). */
export function coin(amount: bigint): string {
  const whole = amount / 100_000_000n;
  const rest = String(amount % 100_000_000n)
    .padStart(8, "0")
    .replace(/0+$/, "");
  return rest === "" ? String(whole) : `${whole}.${rest}`;
}

/** How many of the first items are so: true up to some place, false from there on. Asks seldom. */
async function leading(count: number, isSo: (at: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, 0];
  // Most often it is none or one.
  while (high < count && (await isSo(high))) [low, high] = [high + 1, high * 2 + 1];
  high = Math.min(high, count);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
