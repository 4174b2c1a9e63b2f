import { formatDuration } from "../util/timeText.ts";
import { withTimeout } from "../util/withTimeout.ts";
import { type ChainClient, momentumPage } from "./chain.ts";
import type { Produced } from "./chainAnswers.ts";

/** Age of the newest momentum at which a node counts as behind. A slot is 10 s (docs/chain.md, Chain). */
export const freshMomentumMs = 120_000;

/** The reason why a node's answer does not count; `why` follows the node's name and a colon. */
export interface NodeFault {
  /** `gap`: its answer omits momentums that it has. `stranger`: it lacks the recorded momentum. `old`: its version. */
  readonly kind: "silent" | "behind" | "ahead" | "gap" | "stranger" | "old";
  readonly why: string;
}

/** A node's newest momentum, and the node's clock in unix milliseconds. */
type NewestMomentum = Readonly<{ newest: Produced; clock: number }>;

export type NodeRole = "own" | "successor" | "oldHost" | "reference";

/** `id`: the node's own; absent if the node hides it, as public nodes may. `isLocal`: asked at a loopback address. */
export interface Identified {
  readonly client: Pick<ChainClient, "name">;
  readonly id?: string | undefined;
  readonly isLocal?: boolean | undefined;
  readonly role?: NodeRole;
}

export type Answered<T extends object = object> = { readonly client: ChainClient } & Identified & NewestMomentum & T;

export type Unanswered = Readonly<{ client: ChainClient; fault: NodeFault }>;
export type Reading<T extends object = object> = Answered<T> | Unanswered;

export function isAnswered<T extends object>(reading: Reading<T>): reading is Answered<T> {
  return !("fault" in reading);
}

/** Reads a node's newest momentum, then runs `ask` unless the node is behind or ahead by `maxAgeMs`. Never throws. */
export async function readNode<T extends object>(
  client: ChainClient,
  ask: (newest: NewestMomentum) => Promise<T | { readonly fault: NodeFault }>,
  limit?: number,
  maxAgeMs = freshMomentumMs,
): Promise<Reading<T>> {
  const reading = async (): Promise<Reading<T>> => {
    const { momentum, clock } = await client.newest();
    const newest: NewestMomentum = { newest: momentum, clock };
    const fault = findAgeFault(newest, maxAgeMs);
    if (fault) return { client, fault };
    const [answer, id] = await Promise.all([ask(newest), readNodeId(client)]);
    return "fault" in answer ? { client, fault: answer.fault } : { client, ...newest, id, ...answer };
  };
  try {
    return await (limit === undefined ? reading() : withTimeout(reading(), limit));
  } catch (error) {
    return { client, fault: createSilentFault(error) };
  }
}

/** Shorter than the time of a whole reading, which must not fail because a node never answers this. */
const idTimeoutMs = 4000;

/** Reads a node's own id; undefined if it does not report one. */
export function readNodeId(client: ChainClient): Promise<string | undefined> {
  return withTimeout(client.id(), idTimeoutMs).catch(() => undefined);
}

export function createSilentFault(error: unknown): NodeFault {
  return { kind: "silent", why: error instanceof Error ? error.message : String(error) };
}

/** Returns a fault if a node is behind or ahead of `clock`: its own clock, if this machine's may be wrong. */
export function findAgeFault(
  { newest: { height, timestamp }, clock }: NewestMomentum,
  maxAgeMs = freshMomentumMs,
): NodeFault | undefined {
  const age = clock - timestamp;
  if (age > maxAgeMs)
    return { kind: "behind", why: `it is behind: its newest momentum, ${height}, is ${formatDuration(age)} old` };
  if (age >= -maxAgeMs) return undefined;
  return { kind: "ahead", why: `its newest momentum, ${height}, is ${formatDuration(-age)} in the future` };
}

/** Reads a range of momentums. Returns a fault if one is missing: the missing one may decide. */
export async function readWholePage(
  client: ChainClient,
  from: number,
  to: number,
): Promise<{ readonly page: readonly Produced[] } | { readonly fault: NodeFault }> {
  const page = await client.momentums(from, to - from + 1);
  const isWhole = page.length === to - from + 1 && page.every(({ height }, at) => height === from + at);
  if (isWhole) return { page };
  return { fault: { kind: "gap", why: `it does not return the momentums from ${from} to ${to}, though it has them` } };
}

/** Reads whole pages of momentums from `top` down to `floor`, until a page is enough. */
export async function readDown(
  client: ChainClient,
  { top, floor, pages }: Readonly<Record<"top" | "floor" | "pages", number>>,
  isEnough: (page: readonly Produced[]) => boolean,
): Promise<{ readonly momentums: readonly Produced[] } | { readonly fault: NodeFault }> {
  let momentums: readonly Produced[] = [];
  let to = top;
  for (let page = 0; page < pages && to >= floor; page += 1) {
    const from = Math.max(floor, to - momentumPage + 1);
    const whole = await readWholePage(client, from, to);
    if ("fault" in whole) return whole;
    momentums = [...whole.page, ...momentums];
    if (isEnough(whole.page)) break;
    to = from - 1;
  }
  return { momentums };
}

export function listLeftOut(readings: readonly (Identified | Unanswered)[], words = " is left out"): string[] {
  return readings.flatMap((reading) =>
    "fault" in reading ? [`${reading.client.name}${words}: ${reading.fault.why}`] : [],
  );
}

/** Returns a note without its heights, ages and hashes, so that it stays the same until the matter changes. */
export function dropFigures(note: string): string {
  return note.replaceAll(/ -?[0-9a-f]*\d[0-9a-f]*\b/g, " #");
}
