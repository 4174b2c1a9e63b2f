import { minuteOf } from "../gate/progress";
import { type ChainClient, momentumPage, type RewardRow, type Rewards } from "../rpc/chain";
import { newestOf } from "./chainLook";

/** What the chain says of the Pillar's rewards since the switch. */
export type RewardsReading =
  | { readonly source: string; readonly says: "fault"; readonly why: string }
  /** The node does not know the methods; the operator's own word stands for it, a day after the switch at the earliest. */
  | { readonly source: string; readonly says: "notOffered"; readonly aDayAfter: boolean }
  | { readonly source: string; readonly says: "waiting"; readonly why: string; readonly dueAt?: number }
  | { readonly source: string; readonly says: "collected"; readonly evidence: string };

export interface RewardsQuestion {
  readonly own?: string | undefined;
  readonly successor: string;
  readonly withdrawAddress: string;
  /** Milliseconds. */
  readonly epoch: number;
}

/** Rewards of an ended epoch are distributed within about so long; milliseconds. */
const distribution = 3_600_000;
const day = 24 * 3_600_000;

/**
 * Whether the rewards of the first whole epoch after the switch were paid and collected, as one node tells it. Never
 * throws.
 *
 * An epoch is whole after the switch where the successor's address was the one that produced when it began. Collecting
 * takes all that waits: what waits afterwards is less than what was paid since the switch.
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
    const isSuccessors = (time: number) => producedBefore(client, question, time);
    const rewards = await client.rewards(question.withdrawAddress);
    if (rewards === "notOffered")
      return { source, says: "notOffered", aDayAfter: await isSuccessors(now - Math.min(day, question.epoch)) };
    return {
      source,
      ...(await judge(rewards, { genesis: first.timestamp, epoch: question.epoch, now }, isSuccessors)),
    };
  } catch (error) {
    return { source, says: "fault", why: (error as Error).message };
  }
}

/** Whether the last momentum of either address before a time was the successor's. */
async function producedBefore(
  client: ChainClient,
  question: Pick<RewardsQuestion, "own" | "successor">,
  time: number,
): Promise<boolean> {
  const before = await client.before(time);
  if (before === undefined) return false;
  const from = Math.max(1, before.height - momentumPage + 1);
  const { own, successor } = newestOf(await client.momentums(from, before.height - from + 1), question);
  return successor !== undefined && successor.height > (own?.height ?? 0);
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
 * @param isSuccessors whether the successor's address produced at a time; false from some time on backwards
 */
export async function judge(
  { rows, uncollected }: Rewards,
  { genesis, epoch, now }: Calendar,
  isSuccessors: (time: number) => Promise<boolean>,
): Promise<
  | { says: "fault"; why: string }
  | { says: "waiting"; why: string; dueAt?: number }
  | { says: "collected"; evidence: string }
> {
  const running = Math.floor((now - genesis) / epoch);
  if (rows.some((row) => row.epoch >= running))
    return {
      says: "fault",
      why: `it has paid epoch ${rows[0]?.epoch} while epoch ${running} runs: does pillar-host:network.epoch fit this chain?`,
    };
  const startOf = (number: number) => genesis + number * epoch;
  // From the newest back: the first that is not the successor's ends it.
  const whole: RewardRow[] = [];
  for (const row of rows) {
    if (!(await isSuccessors(startOf(row.epoch)))) break;
    whole.push(row);
  }
  const first = whole.at(-1);
  if (first === undefined) {
    if (!(await isSuccessors(now)))
      return { says: "waiting", why: "the switch is still to come: the successor's address does not produce" };
    const next = await firstWhole(running, (number) => isSuccessors(startOf(number)));
    const dueAt = startOf(next + 1) + distribution;
    return {
      says: "waiting",
      why: `the first whole epoch after the switch, ${next}, is not paid yet (it ${next < running ? "has ended" : `ends ${minuteOf(startOf(next + 1))}`}; rewards come within about an hour after it)`,
      dueAt,
    };
  }
  const sum = (coin: "znn" | "qsr") => whole.reduce((total, row) => total + row[coin], 0n);
  const paid = { znn: sum("znn"), qsr: sum("qsr") };
  if (paid.znn + paid.qsr === 0n)
    return { says: "waiting", why: `epoch ${first.epoch}, the first whole one after the switch, paid nothing` };
  const collected = paid.znn > 0n ? uncollected.znn < paid.znn : uncollected.qsr < paid.qsr;
  const coins = ({ znn, qsr }: { znn: bigint; qsr: bigint }) => `${coin(znn)} ZNN and ${coin(qsr)} QSR`;
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
