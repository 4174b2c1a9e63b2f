/** Access to time, which tests replace. */
export interface Clock {
  /** Returns unix milliseconds. May jump, for example when a laptop wakes. */
  now(): number;
  /** Returns the milliseconds of a clock that never jumps. */
  ticks(): number;
  sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
