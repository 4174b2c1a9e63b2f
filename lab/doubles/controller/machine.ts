import type { NodeSettings } from "../chain/settings";
import type { Terminal } from "./terminal";

export interface CommandResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** The host on which the controller runs. Tests replace it by a directory and a list of commands. */
export interface Machine {
  terminal: Terminal;
  euid: number;
  user: string;
  hostName: string;
  osVersion: string;
  /** Base name of $SHELL, or the name of the parent process. */
  shell: string;
  /** Directory that all paths are relative to ("" on a real host). */
  root: string;
  /** Directory in which the controller was started. */
  workingDirectory: string;
  /** Bytes of the node's executable. */
  nodeExecutable: string;
  run(command: string, args: string[]): CommandResult;
  sleep(ms: number): Promise<void>;
  cores(): number;
  memoryBytes(): number;
  /** Returns this host's public address, or undefined without a network. */
  publicAddress(): Promise<string | undefined>;
  /** Fetches a text. Throws on any failure. */
  fetch(url: string): Promise<string>;
  /** Returns the settings that a test commands for this host. Empty if the chain double does not answer. */
  labSettings(): Promise<Partial<NodeSettings>>;
  /** Calls a method of the node's RPC. Throws if the node does not answer. */
  rpc<T>(method: string, params: unknown[]): Promise<T>;
}

/** Ends the controller, with exit code 0 as always. */
export class Quit extends Error {}

export function print(machine: Machine, line: string): void {
  machine.terminal.write(`${line}\n`);
}
