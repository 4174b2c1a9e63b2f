import { type ChainClient, momentumPage, type Rewards } from "../chain/chain.ts";
import type { PaidEpoch, PillarOnChain, Produced, RewardRow } from "../chain/chainAnswers.ts";
import { networkPaceMs } from "../chain/elections.ts";
import { formatDuration, formatUtcMinute } from "../util/timeText.ts";
import type { RetirementInputs } from "./retirementInputs.ts";

/** Says where the rewards since the switch are. */
export interface RewardsJudgement {
  /** `waiting`: not paid or not collected. `fault`: the node can't tell. */
  readonly says: "collected" | "waiting" | "fault";
  readonly text: string;
  /** Unix milliseconds by which rewards that are not paid yet come. */
  readonly dueAt?: number;
}

export interface RewardsReading extends RewardsJudgement {
  readonly source: string;
  /** Only this address's wallet can collect the rewards. */
  readonly rewardAddress: string;
}

/** Producer addresses of the retired host, if known, and of its successor. */
export type Producers = Readonly<{ oldProducer?: string | undefined; newProducer: string }>;

type RewardsQuestion = Producers & Pick<RetirementInputs, "pillar" | "epoch"> & Pick<PillarOnChain, "withdrawAddress">;

const dayMs = 24 * 3_600_000;

/**
 * Returns an epoch's latest payment, in milliseconds after its end: due after an hour, paid by the contract's next
 * update, once in 300 momentums. Both scale with the length of an epoch.
 */
const payoutDelayMs = (epoch: number) => ((3_600_000 + 300 * networkPaceMs) * epoch) / dayMs;

/**
 * Asks one node whether the rewards of the first whole epoch after the switch were paid and collected. Never throws. An
 * epoch is whole if the new producer had the first momentum of either address in it. Collecting takes all: if
 * less waits than was paid since the switch, it was collected. A Pillar that gives all to its delegators is never paid,
 * so nothing may wait; a changed reward address has no rows of what the earlier one was paid.
 */
export async function readRewards(
  client: ChainClient,
  question: RewardsQuestion,
  now: number,
): Promise<RewardsReading> {
  const { withdrawAddress, epoch, pillar } = question;
  const reading = { source: client.name, rewardAddress: withdrawAddress };
  try {
    const [first] = await client.momentums(1, 1);
    if (first === undefined) return { ...reading, says: "fault", text: "it has no first momentum" };
    const isAfterSwitch = (time: number) => isNewProducerSince(client, question, time);
    const rewards = await client.rewards(withdrawAddress);
    const paid = await client.paidEpochs(pillar);
    const calendar = { genesis: first.timestamp, epoch, now };
    return { ...reading, ...(await judgeRewards(rewards, calendar, isAfterSwitch, paid)) };
  } catch (error) {
    return { ...reading, says: "fault", text: (error as Error).message };
  }
}

/** Judges the rewards. @param isAfterSwitch returns true if all slots since a time (Unix ms) are the new producer's */
export async function judgeRewards(
  { rows, uncollected }: Rewards,
  { genesis, epoch, now }: Readonly<Record<"genesis" | "epoch" | "now", number>>,
  isAfterSwitch: (time: number) => Promise<boolean>,
  figures: readonly PaidEpoch[] = [],
): Promise<RewardsJudgement> {
  const running = Math.floor((now - genesis) / epoch);
  if (rows.some((row) => row.epoch >= running))
    return {
      says: "fault",
      text: `epoch ${rows[0]?.epoch} is paid while epoch ${running} still runs: does pillar-host:network.epoch fit this chain?`,
    };
  const startOf = (number: number) => genesis + number * epoch;
  const isWhole = (number: number) => isAfterSwitch(startOf(number));
  const whole = rows.slice(0, await countLeading(rows, (row) => isWhole(row.epoch)));
  const first = whole.at(-1);
  if (first === undefined) {
    if (!(await isAfterSwitch(now)))
      return { says: "waiting", text: "the switch is still to come: the successor's address does not produce" };
    const next = await findFirstWhole(running, isWhole);
    const delay = payoutDelayMs(epoch);
    const ends = next < running ? "has ended" : `ends ${formatUtcMinute(startOf(next + 1))}`;
    return {
      says: "waiting",
      text: `the first whole epoch after the switch, ${next}, is not paid yet (it ${ends}; its rewards come within ${formatDuration(delay)})`,
      dueAt: startOf(next + 1) + delay,
    };
  }
  const sum = (coin: "znn" | "qsr") => whole.reduce((total, row) => total + row[coin], 0n);
  const paid = { znn: sum("znn"), qsr: sum("qsr") };
  const name = `epoch ${first.epoch}, the first whole one after the switch,`;
  const earliest = whole.findLast(({ znn, qsr }) => znn + qsr > 0n)?.epoch;
  if (earliest === undefined) return judgeUnpaid(`${name} paid nothing`, whole, uncollected, figures);
  const isCollected = paid.znn > 0n ? uncollected.znn < paid.znn : uncollected.qsr < paid.qsr;
  if (!isCollected)
    return {
      says: "waiting",
      text: `paid since epoch ${earliest}, and not collected: ${coins(uncollected)} wait (collect them in the wallet)`,
    };
  const what = earliest === first.epoch ? name : `epoch ${earliest}, the first that paid the present reward address,`;
  return {
    says: "collected",
    text: `${what} was paid, and the rewards were collected (${coins(paid)} paid since, ${coins(uncollected)} wait)`,
  };
}

const coins = ({ znn, qsr }: Rewards["uncollected"]) => `${formatCoin(znn)} ZNN and ${formatCoin(qsr)} QSR`;

/** Judges whole epochs that paid the reward address nothing. */
function judgeUnpaid(
  text: string,
  whole: Rewards["rows"],
  uncollected: Rewards["uncollected"],
  all: readonly PaidEpoch[],
): RewardsJudgement {
  const figures = all.filter((each) => whole.some(({ epoch }) => epoch === each.epoch));
  if (figures.some(({ givesAll }) => givesAll)) {
    const given = `${text}: all rewards go to those who delegate to the Pillar`;
    if (uncollected.znn + uncollected.qsr === 0n) return { says: "collected", text: given };
    return { says: "waiting", text: `${given}; but of earlier epochs ${coins(uncollected)} wait` };
  }
  const { expected, produced } = figures.at(-1) ?? {};
  if (produced === 0) return { says: "waiting", text: `${text}: none of ${expected} momentums was produced in it` };
  if (produced === undefined) return { says: "fault", text };
  const changed =
    "was the reward address changed? Then collect what the earlier one was paid, and wait for the next payment";
  return { says: "fault", text: `${text} for ${produced} momentums: ${changed}` };
}

/** Finds the first whole unpaid epoch: the one before the running epoch, the running one, or the next. */
async function findFirstWhole(running: number, isWhole: (epoch: number) => Promise<boolean>): Promise<number> {
  if (!(await isWhole(running))) return running + 1;
  return running > 0 && (await isWhole(running - 1)) ? running - 1 : running;
}

/** Formats an amount that is given in a coin's smallest units (8 decimals). */
export function formatCoin(amount: bigint): string {
  const [whole, rest] = [amount / 100_000_000n, String(amount % 100_000_000n).padStart(8, "0")];
  return `${whole}.${rest}`.replace(/\.?0+$/, "");
}

/** Counts the rows before the first "no" with few questions. Each later row must be a "no", too. */
async function countLeading(rows: readonly RewardRow[], isYes: (row: RewardRow) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, 0];
  // Small counts first: after a switch there and back, rows behind the first "no" may be a "yes" again.
  while (high < rows.length && (await isYes(rows[high] as RewardRow))) [low, high] = [high + 1, high * 2 + 1];
  high = Math.min(high, rows.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isYes(rows[middle] as RewardRow)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Momentums per request, ten hours in all. The first requests are small: on a small network they suffice. */
const pageSizes = [64, 256, momentumPage, momentumPage, momentumPage];

/** True if the first momentum of either address since a time (else the last one before) is the new producer's. */
export async function isNewProducerSince(client: ChainClient, { oldProducer, newProducer }: Producers, time: number) {
  const isOfEither = ({ producer }: Produced) => producer === oldProducer || producer === newProducer;
  const height = (await client.before(time))?.height ?? 0;
  let from = height + 1;
  // Momentums of an unknown old address look like those of other Pillars.
  for (const count of oldProducer === undefined ? [] : pageSizes) {
    const page = await client.momentums(from, count);
    const first = page.find(isOfEither);
    if (first) return first.producer === newProducer;
    if (page.length < count) break;
    from += count;
  }
  if (height === 0) return false;
  const start = Math.max(1, height - momentumPage + 1);
  const page = await client.momentums(start, height - start + 1);
  return page.findLast(isOfEither)?.producer === newProducer;
}
