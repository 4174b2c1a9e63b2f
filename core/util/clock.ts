/** Time, as all that waits sees it; a test has its own. */
export interface Clock {
  /** Unix milliseconds: may jump, for example when a laptop wakes. */
  now(): number;
  /** Milliseconds of a clock that never jumps. */
  ticks(): number;
  /** @param milliseconds of a pause */
  sleep(milliseconds: number): Promise<void>;
}

/** The machine's own. */
export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
