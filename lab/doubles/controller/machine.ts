import type { NodeSettings } from "../chain/settings";
import type { Terminal } from "./terminal";

/** What came of a command on the host. */
export interface CommandResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** The host under the controller. Tests put a directory and a list of commands in its place. */
export interface Machine {
  terminal: Terminal;
  /** Effective user id. */
  euid: number;
  user: string;
  hostName: string;
  osVersion: string;
  /** The base name of $SHELL, or the name of the parent process. */
  shell: string;
  /** Paths below are taken under this directory ("" on a real host). */
  root: string;
  /** The directory that the controller was started in. */
  workingDirectory: string;
  /** Bytes of the node's executable. */
  nodeExecutable: string;
  run(command: string, args: string[]): CommandResult;
  sleep(ms: number): Promise<void>;
  cores(): number;
  memoryBytes(): number;
  /** This host's public address; undefined without a network. */
  publicAddress(): Promise<string | undefined>;
  /** Fetches a text; throws when it cannot be had. */
  fetch(url: string): Promise<string>;
  /** What the test commands for this host; empty when the chain double does not answer. */
  labSettings(): Promise<Partial<NodeSettings>>;
  /** One call of the node's RPC; throws when it does not answer. */
  rpc<T>(method: string, params: unknown[]): Promise<T>;
}

/** Ends the controller; like every end of it, with exit code 0. */
export class Quit extends Error {}

/** Prints one line. */
export function print(machine: Machine, line: string): void {
  machine.terminal.write(`${line}\n`);
}
