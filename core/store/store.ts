import type { Readable } from "node:stream";

/**
 * A Pillar's records outside of Pulumi's state, on which guards decide. Concurrent writers lose nothing, no record is
 * overwritten, and an unreadable record is an error in the operator's words, never "nothing".
 */
export interface Store {
  /** Absolute path on this machine, for locks and temporary files. */
  readonly directory: string;
  /** Place of the event log, for the operator. */
  readonly log: string;
  /** Place of files from `keep` for all machines, such as a bucket; undefined if `keep` leaves them in `directory`. */
  readonly files?: string;
  /** Adds a line, without line break; stored once this resolves */
  append(line: string): Promise<void>;
  /** Reads all lines, oldest first. */
  readLines(): Promise<readonly string[]>;
  /** Reads the newest text of a name; undefined if there is none. */
  readText(name: string): Promise<string | undefined>;
  /** Stores a new text of a name, or deletes it. */
  writeText(name: string, text: string | undefined): Promise<void>;
  /** Moves a finished file of `directory` to a new name, for good. @returns its place @throws if the name is taken */
  keep(part: string, name: string): Promise<string>;
  /** Returns a file's size in bytes; undefined if there is no such file. */
  readSize(file: string): Promise<number | undefined>;
  /** Opens a file that `keep` stored. @throws (or its stream does) if it can't be read */
  open(file: string): Promise<Readable>;
}
