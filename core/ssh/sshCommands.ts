import type { Readable } from "node:stream";
import type ssh2 from "ssh2";
import { reasonOf } from "./sshErrors";

export interface CommandResult {
  /** Undefined if a signal or the end of the connection ended the command. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  /** The command waits while nobody reads. */
  readonly stdout: Readable;
  /** Settles once the command ended and its output was read or destroyed. Keeps the last 64 KiB of standard error. */
  readonly done: Promise<Omit<CommandResult, "stdout">>;
}

const maxOutputBytes = 256 * 1024;
const maxErrorBytes = 64 * 1024;

export async function runOver(client: ssh2.Client, command: string, input: string): Promise<CommandResult> {
  const { stdout, done } = await startOver(client, command, input);
  let text = "";
  stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    // Truncated output could be misread.
    if (text.length > maxOutputBytes) stdout.destroy();
  });
  const ended = await done;
  if (text.length > maxOutputBytes)
    throw new Error(`a command on the host printed more than ${maxOutputBytes / 1024} KiB`);
  return { ...ended, stdout: text };
}

export function startOver(client: ssh2.Client, command: string, input: string): Promise<RunningCommand> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(new Error(`a command on the host: ${reasonOf(error)}`));
      let [stderr, exitCode] = ["", undefined as number | undefined];
      channel.stderr.setEncoding("utf8").on("data", (piece: string) => {
        stderr = (stderr + piece).slice(-maxErrorBytes);
      });
      channel.on("exit", (code: number | null) => {
        exitCode = code ?? undefined;
      });
      const done = new Promise<Omit<CommandResult, "stdout">>((ended) => {
        // Not "end": a background process keeps the streams open.
        channel.on("close", () => ended({ exitCode, stderr }));
        channel.on("error", () => ended({ exitCode, stderr }));
      });
      channel.end(input);
      resolve({ stdout: channel, done });
    });
  });
}
