/** How the chain counts epochs. Times in seconds. */
export interface EpochClock {
  /** Timestamp of momentum 1, where epoch 0 begins. */
  genesis: number;
  /** Length of an epoch: 24 h on the real network. */
  epochSeconds: number;
  /** How long after its end an epoch's rewards are distributed: an hour on the real network. */
  rewardDelaySeconds: number;
}

/** The epoch to which a moment belongs. */
export function epochAt({ genesis, epochSeconds }: EpochClock, seconds: number): number {
  return Math.floor((seconds - genesis) / epochSeconds);
}

/** The newest epoch whose rewards are due at a moment; -1 when none is. */
export function dueEpoch(clock: EpochClock, seconds: number): number {
  return Math.max(-1, epochAt(clock, seconds - clock.rewardDelaySeconds) - 1);
}
