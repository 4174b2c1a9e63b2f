import { type Network, tickOf } from "../chain/elections";

/** What the chain says of the running tick. Times in unix milliseconds, by the node's clock. */
export interface TickFacts {
  readonly now: number;
  readonly genesis: number;
  readonly pillars: number;
  /** The times of this host's momentums of late. */
  readonly produced: readonly number[];
}

/**
 * Returns until when the Pillar has no slot for sure: `now` where one may come at any moment. No node tells its schedule;
 * but a Pillar has one slot a tick at most where there are as many Pillars as slots, so after that slot it has none until the
 * tick ends. Of fewer Pillars each has as many as its share, rounded up.
 */
export function freeUntil({ now, genesis, pillars, produced }: TickFacts, network: Network): number {
  const tick = tickOf(network);
  const start = genesis + Math.floor((now - genesis) / tick) * tick;
  const most = Math.ceil(network.tickMomentums / Math.max(1, Math.min(pillars, network.tickMomentums)));
  return produced.filter((at) => at >= start && at <= now).length >= most ? start + tick : now;
}

/** Milliseconds: two ticks of the main network. */
export const slotWaitLimit = 600_000;

/**
 * Decides when the node is stopped: in a time without a slot that is longer than a restart, or when that was waited for
 * long enough. Returns that time's milliseconds, `now` without one, or `wait`.
 */
export function decideMoment(facts: TickFacts, network: Network, needed: number, waited: number) {
  const free = freeUntil(facts, network) - facts.now;
  if (free >= needed) return free;
  return waited >= Math.min(slotWaitLimit, 2 * tickOf(network)) ? "now" : "wait";
}
