/** Ticks of the election: equal spans of time that start at the genesis. In milliseconds. */
export interface Ticks {
  genesis: number;
  length: number;
}

/** Returns the tick that contains a moment. */
export function tickAt({ genesis, length }: Ticks, at: number): number {
  // If the pace is no whole number, a momentum's time is a sum of floats and may fall just short.
  return Math.floor((at - genesis) / length + 1e-9);
}

export function startOf({ genesis, length }: Ticks, tick: number): number {
  return genesis + tick * length;
}
