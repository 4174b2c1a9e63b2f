import { formatDuration } from "../util/timeText";
import { withTimeout } from "../util/withTimeout";
import type { ChainClient } from "./chain";
import type { Produced } from "./chainAnswers";

/** Age of the newest momentum at which a node counts as behind. A slot is 10 s (docs/chain.md, Chain). */
export const freshMomentumMs = 120_000;

/** The reason why a node's answer does not count. Times in milliseconds. */
export type NodeFault =
  | { readonly kind: "silent"; readonly why: string }
  /** The node's newest momentum is too old, or in the future. */
  | { readonly kind: "behind" | "ahead"; readonly height: number; readonly by: number }
  /** The node did not return momentums that it should have. */
  | { readonly kind: "gap"; readonly from: number; readonly to: number }
  /** The node lacks a momentum that was recorded at this height before: it is on another chain, or lies. */
  | { readonly kind: "stranger"; readonly height: number };

/** `clock` is the node's, in unix milliseconds. */
interface NewestMomentum {
  readonly newest: Produced;
  readonly clock: number;
}

export type Answered<T extends object = object> = { readonly client: ChainClient } & NewestMomentum & T;

export interface Unanswered {
  readonly client: ChainClient;
  readonly fault: NodeFault;
}

export type Reading<T extends object = object> = Answered<T> | Unanswered;

export function isAnswered<T extends object>(reading: Reading<T>): reading is Answered<T> {
  return !("fault" in reading);
}

/** Reads a node's newest momentum, then runs `ask` unless the node is behind or ahead. Never throws. */
export async function readNode<T extends object>(
  client: ChainClient,
  ask: (newest: NewestMomentum) => Promise<T | { readonly fault: NodeFault }>,
  limit?: number,
): Promise<Reading<T>> {
  const reading = async (): Promise<Reading<T>> => {
    const { momentum, clock } = await client.newest();
    const newest: NewestMomentum = { newest: momentum, clock };
    const fault = findAgeFault(newest);
    if (fault) return { client, fault };
    const answer = await ask(newest);
    return "fault" in answer ? { client, fault: answer.fault } : { client, ...newest, ...answer };
  };
  try {
    return await (limit === undefined
      ? reading()
      : withTimeout(reading(), limit, `no answer within ${limit / 1000} s`));
  } catch (error) {
    return { client, fault: createSilentFault(error) };
  }
}

export function createSilentFault(error: unknown): NodeFault {
  return { kind: "silent", why: error instanceof Error ? error.message : String(error) };
}

/** Returns a fault if a node is behind or ahead by its own clock: this machine's clock may be wrong. */
export function findAgeFault({ newest: { height, timestamp }, clock }: NewestMomentum): NodeFault | undefined {
  const age = clock - timestamp;
  if (age > freshMomentumMs) return { kind: "behind", height, by: age };
  return age < -freshMomentumMs ? { kind: "ahead", height, by: -age } : undefined;
}

/** Reads a range of momentums. Returns a fault if one is missing: that one may be the one that counts. */
export async function readWholePage(
  client: ChainClient,
  from: number,
  to: number,
): Promise<{ readonly page: readonly Produced[] } | { readonly fault: NodeFault }> {
  const page = await client.momentums(from, to - from + 1);
  const isWhole = page.length === to - from + 1 && page.every(({ height }, at) => height === from + at);
  return isWhole ? { page } : { fault: { kind: "gap", from, to } };
}

/** Formats why a node's answer does not count, to follow the node's name and a colon. */
export function formatNodeFault(fault: NodeFault): string {
  switch (fault.kind) {
    case "silent":
      return fault.why;
    case "behind":
      return `it is behind: its newest momentum, ${fault.height}, is ${formatDuration(fault.by)} old`;
    case "ahead":
      return `its newest momentum, ${fault.height}, is ${formatDuration(fault.by)} in the future`;
    case "gap":
      return `it does not return the momentums from ${fault.from} to ${fault.to}, though it has them`;
    case "stranger":
      return `it is of another chain: momentum ${fault.height} is not the one that was recorded when this host was synced`;
  }
}

export function formatLeftOut({ client, fault }: Unanswered): string {
  return `${client.name} is left out: ${formatNodeFault(fault)}`;
}

/** Returns a key that changes when a node gets another fault, but not while its newest momentum gets older. */
export function formatNodeFaultKey(fault: NodeFault): string {
  return fault.kind === "silent" ? `silent ${fault.why}` : fault.kind;
}
