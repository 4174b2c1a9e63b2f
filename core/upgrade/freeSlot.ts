import { computeTickMs, type Network } from "../chain/elections";

/** Facts about the running tick. Times in unix milliseconds, by the node's clock. */
export interface TickFacts {
  readonly now: number;
  readonly genesis: number;
  readonly pillars: number;
  /** Times of this host's latest momentums. */
  readonly produced: readonly number[];
}

/**
 * Returns the time until which the Pillar surely has no slot; `now` if one may come at any moment. Nodes don't report
 * the schedule, but a Pillar gets at most its share of a tick's slots, rounded up. Once it has produced that many, no
 * slot comes before the tick ends.
 */
export function findFreeUntil({ now, genesis, pillars, produced }: TickFacts, network: Network): number {
  const tick = computeTickMs(network);
  const start = genesis + Math.floor((now - genesis) / tick) * tick;
  const most = Math.ceil(network.tickMomentums / Math.max(1, Math.min(pillars, network.tickMomentums)));
  return produced.filter((at) => at >= start && at <= now).length >= most ? start + tick : now;
}

/** The longest wait for a time without a slot: two ticks of the main network. */
export const slotTimeoutMs = 600_000;

/** Returns the milliseconds without a slot if they suffice for a restart; else `wait`, or `now` after the timeout. */
export function decideMoment(facts: TickFacts, network: Network, needed: number, waited: number) {
  const free = findFreeUntil(facts, network) - facts.now;
  if (free >= needed) return free;
  return waited >= Math.min(slotTimeoutMs, 2 * computeTickMs(network)) ? "now" : "wait";
}
