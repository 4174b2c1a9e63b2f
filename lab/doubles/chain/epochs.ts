/** Parameters of the epoch count. Times in seconds. */
export interface EpochClock {
  /** Timestamp of momentum 1, where epoch 0 begins. */
  genesis: number;
  /** Length of an epoch: 24 h on the real network. */
  epochSeconds: number;
  /** Time from an epoch's end to the distribution of its rewards: an hour on the real network. */
  rewardDelaySeconds: number;
}

/** Returns the epoch that contains a moment. */
export function epochAt({ genesis, epochSeconds }: EpochClock, seconds: number): number {
  return Math.floor((seconds - genesis) / epochSeconds);
}

/** Returns the newest epoch whose rewards are due at a moment, or -1 if none is. */
export function dueEpoch(clock: EpochClock, seconds: number): number {
  return Math.max(-1, epochAt(clock, seconds - clock.rewardDelaySeconds) - 1);
}
