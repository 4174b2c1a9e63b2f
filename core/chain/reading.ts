import { withTimeout } from "../util/withTimeout";
import type { ChainClient } from "./chain";
import type { Produced } from "./chainAnswers";
import { freshMomentum } from "./freshMomentum";

/** Why a node's word does not count. Times in milliseconds. */
export type NodeFault =
  /** It gave no answer, or one of another form. */
  | { readonly kind: "silent"; readonly why: string }
  /** Its newest momentum is old, or of a time to come. */
  | { readonly kind: "behind" | "ahead"; readonly height: number; readonly by: number }
  /** It does not give momentums that it has. */
  | { readonly kind: "gap"; readonly from: number; readonly to: number }
  /** It does not know the momentum of this height that was recorded before: of another chain, or a liar. */
  | { readonly kind: "stranger"; readonly height: number };

/** A node's newest momentum, and its own clock in unix milliseconds. */
export interface NewestMomentum {
  readonly newest: Produced;
  readonly clock: number;
}

/** What a node said, and who it is: it may be asked for more. */
export type Answered<T extends object = object> = { readonly client: ChainClient } & NewestMomentum & T;

/** A node whose word does not count. */
export interface Unanswered {
  readonly client: ChainClient;
  readonly fault: NodeFault;
}

export type Reading<T extends object = object> = Answered<T> | Unanswered;

export function isAnswered<T extends object>(reading: Reading<T>): reading is Answered<T> {
  return !("fault" in reading);
}

/**
 * Asks a node for its newest momentum, and for what else is wanted of one that is not behind. Never throws.
 *
 * @param limit milliseconds for all of it; none where it is left out
 */
export async function readNode<T extends object>(
  client: ChainClient,
  ask: (newest: NewestMomentum) => Promise<T | { readonly fault: NodeFault }>,
  limit?: number,
): Promise<Reading<T>> {
  const reading = async (): Promise<Reading<T>> => {
    const { momentum, clock } = await client.newest();
    const newest: NewestMomentum = { newest: momentum, clock };
    const fault = ageFault(newest);
    if (fault) return { client, fault };
    const answer = await ask(newest);
    return "fault" in answer ? { client, fault: answer.fault } : { client, ...newest, ...answer };
  };
  try {
    return await (limit === undefined
      ? reading()
      : withTimeout(reading(), limit, `no answer within ${limit / 1000} s`));
  } catch (error) {
    return { client, fault: silentBy(error) };
  }
}

/** Returns the fault for an answer that did not come. */
export function silentBy(error: unknown): NodeFault {
  return { kind: "silent", why: error instanceof Error ? error.message : String(error) };
}

/** Returns a fault if a node is behind or ahead by its own clock: this machine's may be wrong. */
export function ageFault({ newest: { height, timestamp }, clock }: NewestMomentum): NodeFault | undefined {
  const age = clock - timestamp;
  if (age > freshMomentum) return { kind: "behind", height, by: age };
  return age < -freshMomentum ? { kind: "ahead", height, by: -age } : undefined;
}

/** Asks a node for a range of momentums, all of which it must have: the one that is missing may be the one that counts. */
export async function wholePage(
  client: ChainClient,
  from: number,
  to: number,
): Promise<{ readonly page: readonly Produced[] } | { readonly fault: NodeFault }> {
  const page = await client.momentums(from, to - from + 1);
  const isWhole = page.length === to - from + 1 && page.every(({ height }, at) => height === from + at);
  return isWhole ? { page } : { fault: { kind: "gap", from, to } };
}
