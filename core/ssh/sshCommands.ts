import type { Readable } from "node:stream";
import type ssh2 from "ssh2";
import { reasonOf } from "./sshErrors";

/** What a command left. */
export interface CommandResult {
  /** undefined where a signal or the end of the connection ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command whose standard output is read while it runs. */
export interface RunningCommand {
  /** Bytes; the command waits while nobody reads them. */
  readonly stdout: Readable;
  /** Settles when the command ended and its output was read, or destroyed. Keeps the last 64 KiB of what it complained. */
  readonly done: Promise<Omit<CommandResult, "stdout">>;
}

const outputLimit = 256 * 1024;

export function runOver(client: ssh2.Client, command: string, input: string): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(new Error(`a command on the host: ${reasonOf(error)}`));
      let [stdout, stderr, exitCode] = ["", "", undefined as number | undefined];
      channel.setEncoding("utf8").on("data", (piece: string) => {
        if (stdout.length > outputLimit) return;
        stdout += piece;
        if (stdout.length <= outputLimit) return;
        // What is cut off may read as something else; and whoever floods is not listened to any longer.
        reject(new Error(`a command on the host printed more than ${outputLimit / 1024} KiB`));
        channel.destroy();
      });
      channel.stderr.setEncoding("utf8").on("data", (piece: string) => {
        stderr = (stderr + piece).slice(-outputLimit);
      });
      channel.on("exit", (code: number | null) => {
        exitCode = code ?? undefined;
      });
      // Not "end": a command that starts something in the background leaves the streams open.
      channel.on("close", () => resolve({ exitCode, stdout, stderr }));
      channel.on("error", reject);
      channel.end(input);
    });
  });
}

const complaintLimit = 64 * 1024;

export function startOver(client: ssh2.Client, command: string, input: string): Promise<RunningCommand> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(new Error(`a command on the host: ${reasonOf(error)}`));
      let [stderr, exitCode] = ["", undefined as number | undefined];
      channel.stderr.setEncoding("utf8").on("data", (piece: string) => {
        stderr = (stderr + piece).slice(-complaintLimit);
      });
      channel.on("exit", (code: number | null) => {
        exitCode = code ?? undefined;
      });
      const done = new Promise<Omit<CommandResult, "stdout">>((ended) => {
        channel.on("close", () => ended({ exitCode, stderr }));
        channel.on("error", () => ended({ exitCode, stderr }));
      });
      channel.end(input);
      resolve({ stdout: channel, done });
    });
  });
}
