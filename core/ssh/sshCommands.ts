import type { Readable } from "node:stream";
import type ssh2 from "ssh2";
import { createTooLargeError } from "../util/sendRequest.ts";
import { describeConnectionError } from "./sshErrors.ts";

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
  const running = await startOver(client, command, input);
  const printed = await collect(running, maxOutputBytes, "the output of a command on the host");
  return { ...(await running.done), stdout: printed.toString("utf8") };
}

/** Adds the output before a failure to its error. Not enumerable, as it may be secret, and errors are printed. */
export const keepPrinted = <T extends Error>(error: T, printed: string): T =>
  Object.defineProperty(error, "printed", { value: printed, configurable: true });

/** Reads a stream to its end. `what` names the data in the error about too many bytes: truncated data could be misread. */
export async function collect(
  { stdout, done }: { readonly stdout: Readable; readonly done: Promise<unknown> },
  limit: number,
  what: string,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    // Stop the host, which would continue to print.
    else stdout.destroy();
  });
  const failure = await done.then(
    () => undefined,
    (error: Error) => error,
  );
  if (size > limit) throw createTooLargeError(what, limit);
  if (failure) throw keepPrinted(failure, Buffer.concat(chunks).toString("utf8"));
  return Buffer.concat(chunks);
}

export function startOver(client: ssh2.Client, command: string, input: string): Promise<RunningCommand> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(new Error(`a command on the host: ${describeConnectionError(error)}`));
      let errors = Buffer.alloc(0);
      let exitCode: number | undefined;
      channel.stderr.on("data", (piece: Buffer) => {
        errors = Buffer.concat([errors, piece]).subarray(-maxErrorBytes);
      });
      channel.on("exit", (code: number | null) => {
        exitCode = code ?? undefined;
      });
      const done = new Promise<Omit<CommandResult, "stdout">>((ended) => {
        // Not "end", which does not come while a background process keeps the streams open.
        const end = () => ended({ exitCode, stderr: errors.toString("utf8") });
        channel.on("close", end);
        channel.on("error", end);
      });
      channel.end(input);
      resolve({ stdout: channel, done });
    });
  });
}
