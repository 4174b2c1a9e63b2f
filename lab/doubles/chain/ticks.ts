/** Ticks of the election: spans of time from the genesis on. Milliseconds. */
export interface Ticks {
  genesis: number;
  length: number;
}

/** The tick to which a moment belongs. */
export function tickAt({ genesis, length }: Ticks, at: number): number {
  // A momentum's time is a sum of floats where the pace is no whole number.
  return Math.floor((at - genesis) / length + 1e-9);
}

export function startOf({ genesis, length }: Ticks, tick: number): number {
  return genesis + tick * length;
}
