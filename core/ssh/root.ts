import { type Duplex, pipeline, type Readable } from "node:stream";
import { printableLines } from "../util/printable";
import { answerStream, framed, notRunText, otherUser, readAnswer } from "./answer";
import { type Connection, createConnection } from "./connection";
import type { Variables } from "./foreign";
import { namesOf, type Receiver, rootEnvelope } from "./rootEnvelope";
import { assignments } from "./shellWords";
import { loginKeys, type SshTarget } from "./ssh";
import type { RunningCommand } from "./sshCommands";
import { fatal, isFatal } from "./sshErrors";

/** A host on which a signer runs, or is to run; plain values, as a provider gets them. Holds secrets. */
export interface OrchestratorHost {
  /** The stack that looks at it: what an operator is told to type names it. */
  readonly stack: string;
  readonly ssh: SshTarget;
  readonly sudoPassword?: string | undefined;
  /** The key of the configuration that says how it is logged in to, for errors: `pillar-host:ssh` where it is left out. */
  readonly configured?: string | undefined;
}

export interface CallOptions {
  /** Seconds after which the function is ended on the host; 120 where it is left out. */
  readonly limitSeconds?: number;
  /** Values that must not appear in an error: those of variables that are secret. */
  readonly secrets?: readonly string[];
}

/** What an error of a call carries: the function's exit code; absent where it has none (the connection broke, a signal). */
export interface CallError extends Error {
  exitCode?: number;
}

/** Runs functions of the script library on a host as root, over one connection that is kept, and made anew after it broke. */
export interface RootHost {
  readonly address: string;
  /** An authorized_keys line. */
  readonly hostKey: string;
  /**
   * Runs a function; its standard output, at most 8 MiB. Never tried again: what was done is not known after a break.
   *
   * @throws CallError in the host's words, without secrets
   */
  call(name: string, variables?: Variables, options?: CallOptions): Promise<string>;
  /** The same, with standard output as a stream. `done` throws what `call` does: await it after the stream's end. */
  stream(name: string, variables?: Variables, options?: CallOptions): Promise<RootStream>;
  /** A TCP stream from the host to an address that it reaches, for the RPC of what runs there. */
  forward(address: string, port: number): Promise<Duplex>;
  close(): void;
}

export interface RootStream {
  readonly stdout: Readable;
  readonly done: Promise<void>;
}

/** A function at work. */
interface Ending {
  readonly running: RunningCommand;
  /** Its output, without the login's. */
  readonly stdout: Readable;
  /** The first piece of all that it printed. */
  readonly first: () => string;
  /** The text that was sent. */
  readonly text: string;
  readonly name: string;
  readonly limitSeconds: number;
  /** Makes of what a host says what may be shown. */
  words(said: string): string;
}

/** Stands in a library between what becomes root and what root is given. */
export const asRoot = "\n### from here on as root ###\n";

/**
 * Runs what it reads. Not `bash -s`, which asks the kernel for each of the library's 30,000 letters on its own; `--norc`,
 * because a shell that is given its text this way reads .bashrc where sshd started it.
 */
const readWhole = `bash --norc -euo pipefail -c 'eval "$(cat)"'`;

const outputLimit = 8 * 1024 * 1024;
const usualLimit = 120;
/** Seconds that a host has beyond a function's limit to say so. */
const grace = 30;

/**
 * What is sent to `readWhole` as the login user. Function, variables and the sudo password go through
 * standard input, never into a command line.
 */
export function rootScript(
  library: string,
  name: string,
  variables: Variables,
  host: Receiver & { readonly limitSeconds: number },
): string {
  const [become = "", functions = ""] = library.split(asRoot);
  const input = `${assignments(namesOf(host))}${functions}\n${assignments(variables)}${name} < /dev/null`;
  return rootEnvelope(host, become, `timeout -k 10 ${host.limitSeconds} ${readWhole}`, framed(input, "streamed"));
}

/** Takes secrets out of a text: whole, and line by line where they have several. */
export function masked(text: string, secrets: readonly (string | undefined)[]): string {
  const values = secrets.flatMap((secret = "") => {
    const lines = secret.split("\n").filter((line) => line.trim().length > 7);
    return [secret, ...lines].filter((each) => each.trim() !== "");
  });
  return values.sort((a, b) => b.length - a.length).reduce((left, each) => left.replaceAll(each, "[removed]"), text);
}

/**
 * @param library what core/steps/libraries.ts makes: become.sh, `asRoot`, then functions
 * @param connection the way to the host, where others use it too; closed with this
 */
export function openRoot(
  host: OrchestratorHost,
  library: string,
  connection: Connection = createConnection(host.ssh, loginKeys(host.configured), true),
): RootHost {
  const { ssh, stack, sudoPassword, configured } = host;
  const own = [ssh.privateKey, ssh.privateKeyPassword, ssh.password, sudoPassword];
  const inWords = (text: string, secrets: readonly string[] = []) => printableLines(masked(text, [...own, ...secrets]));
  const session = () =>
    connection.session().catch((error: Error) => {
      const words = inWords(error.message);
      throw isFatal(error) ? Object.assign(fatal(words), { refused: Reflect.get(error, "refused") }) : new Error(words);
    });

  // Before its use: else the engine takes it for something captured.
  const ending = async ({ running, stdout, first, text, name, limitSeconds, words }: Ending): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          stdout.destroy();
          connection.drop("dead");
          reject(new Error(`${ssh.address}: ${name} gave no end within ${limitSeconds} s: is the connection dead?`));
        },
        (limitSeconds + grace) * 1000,
      );
    });
    try {
      const { exitCode, stderr: printed } = await Promise.race([running.done, late]);
      const { isDone, stderr } = readAnswer(text, { stdout: "", stderr: printed });
      if (exitCode === 0 && isDone) return;
      if (exitCode === 0 || otherUser(first()))
        throw new Error(`${ssh.address}: ${notRunText(name, words(first() + printed))}`);
      if (exitCode === undefined)
        throw new Error(
          `${ssh.address}: the connection ended while ${name} was at work${stderr && `: ${words(stderr.trim())}`}`,
        );
      const timedOut = exitCode === 124 || exitCode === 137;
      const said = words(stderr.trim()) || (timedOut ? "" : `${ssh.address}: ${name} ended with ${exitCode}`);
      const after = timedOut ? `${ssh.address}: ${name} was ended after ${limitSeconds} s` : "";
      throw Object.assign(new Error([after, said].filter(Boolean).join("\n")), { exitCode });
    } finally {
      clearTimeout(timer);
    }
  };

  const stream = async (name: string, variables: Variables = {}, options: CallOptions = {}): Promise<RootStream> => {
    const { limitSeconds = usualLimit, secrets = [] } = options;
    const text = rootScript(library, name, variables, {
      hostName: ssh.address,
      stack,
      sudoPassword,
      configured,
      limitSeconds,
    });
    // The name alone: what a process list and a log show.
    const running = await (await session()).start(`${readWhole} ${name}`, text);
    const stdout = answerStream(text);
    let first = "";
    running.stdout.once("data", (piece: Buffer) => {
      first = piece.toString("utf8", 0, 500);
    });
    const isRead = new Promise((closed) => stdout.once("close", closed));
    pipeline(running.stdout, stdout, () => undefined);
    // A channel is closed once all that came was taken from it.
    stdout.once("close", () => running.stdout.resume());
    // A reader learns of its end; one that stopped reading must not end the process.
    stdout.on("error", () => undefined);
    const end = ending({
      running,
      stdout,
      first: () => first,
      text,
      name,
      limitSeconds,
      words: (said) => inWords(said, secrets),
    });
    const done = end.finally(() => isRead);
    // Whoever reads to the end first looks at it later.
    done.catch(() => undefined);
    return { stdout, done };
  };

  return {
    address: ssh.address,
    hostKey: ssh.hostKey,
    stream,
    call: async (name, variables, options) => {
      const printed = await collect(
        await stream(name, variables, options),
        outputLimit,
        `${ssh.address}: ${name} printed`,
      );
      return printed.toString("utf8");
    },
    forward: async (address, port) => (await session()).forward(address, port),
    close: () => connection.drop(),
  };
}

/** Reads a stream to its end. @param what begins the error where there are more bytes than the limit */
export async function collect({ stdout, done }: RootStream, limit: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    // The host would go on for as long as it is listened to.
    else stdout.destroy();
  });
  const failure = await done.then(
    () => undefined,
    (error: Error) => error,
  );
  if (size > limit) throw new Error(`${what} more than ${limit / 1024 / 1024} MiB`);
  if (failure) throw failure;
  return Buffer.concat(chunks);
}
