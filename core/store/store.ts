/**
 * Where what is known of a Pillar is kept outside of Pulumi's state: guards decide on it. Whatever holds it, concurrent
 * writers lose nothing, what stands there is never written over, and what can't be read is an error, never "nothing".
 */
export interface Store {
  /** On this machine, absolute: for locks, and for files in the making. */
  readonly directory: string;
  /** Where the event log is, for the operator. */
  readonly log: string;
  /** Adds a line to the event log, without its end; kept when this resolves. @throws where it can't be written */
  append(line: string): Promise<void>;
  /** All lines of the event log, the oldest first; nothing where there is none. @throws where it can't be read */
  lines(): Promise<readonly string[]>;
}
