/** Access to time, which tests replace. */
export type Clock = typeof systemClock;

/** Access to time, and a line for the operator. */
export interface Teller extends Clock {
  say(line: string): void;
}

export const systemClock = {
  /** Returns unix milliseconds. May jump, for example when a laptop wakes. */
  now: () => Date.now(),
  /** Returns the milliseconds of a clock that never jumps. */
  ticks: () => performance.now(),
  sleep: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
};
