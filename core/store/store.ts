import type { Readable } from "node:stream";

/**
 * Where what is known of a Pillar is kept outside of Pulumi's state: guards decide on it. Whatever holds it, concurrent
 * writers lose nothing, what stands there is never written over, and what can't be read is an error, never "nothing".
 */
export interface Store {
  /** On this machine, absolute: for locks, and for files in the making. */
  readonly directory: string;
  /** Where the event log is, for the operator. */
  readonly log: string;
  /** Where all machines find what was kept, for the operator; undefined where that is `directory` alone. */
  readonly files?: string;
  /** What a fault of it is in the operator's words. @param what `read` or `written` */
  faultText(what: string, error: Error): string;
  /** Adds a line to the event log, without its end; kept when this resolves. @throws where it can't be written */
  append(line: string): Promise<void>;
  /** All lines of the event log, the oldest first; nothing where there is none. @throws where it can't be read */
  lines(): Promise<readonly string[]>;
  /** The newest text of a name, as of a record that changes; undefined where there is none. @throws where it can't be read */
  newest(name: string): Promise<string | undefined>;
  /** Gives a name its newest text, or none; kept when this resolves. @throws where it can't be written */
  renew(name: string, text: string | undefined): Promise<void>;
  /**
   * Keeps a finished file of `directory`, for good, under a name that nothing has yet; the file is gone then.
   *
   * @returns where it is, for lines and for the operator
   * @throws where something has that name, or it can't be written
   */
  keep(part: string, name: string): Promise<string>;
  /** Bytes of a file that was kept, by where it is; undefined where it is not there. @throws where that can't be told */
  sizeOf(file: string): Promise<number | undefined>;
  /** What is in it. @throws (or on its stream) where it can't be read */
  open(file: string): Promise<Readable>;
}
