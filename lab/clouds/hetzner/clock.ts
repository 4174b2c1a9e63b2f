export interface Clock {
  /** Returns milliseconds. */
  now(): number;
  /** Formats the current time as the API does. */
  stamp(): string;
}
