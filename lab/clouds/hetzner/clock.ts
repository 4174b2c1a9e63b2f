/** Time, as the cloud has it. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** As the API writes it. */
  stamp(): string;
}
