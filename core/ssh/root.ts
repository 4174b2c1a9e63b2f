import { type Duplex, pipeline, type Readable } from "node:stream";
import { printableLines } from "../util/printable";
import { answerStream, findOtherUser, formatNotRun, frameScript, readAnswer } from "./answer";
import { type Connection, createConnection } from "./connection";
import type { Variables } from "./foreign";
import { createHostVariables, createRootEnvelope, type Receiver } from "./rootEnvelope";
import { formatAssignments } from "./shellWords";
import { createLoginKeys, type SshTarget } from "./ssh";
import { collect, type RunningCommand } from "./sshCommands";
import { createFatalError, isFatal } from "./sshErrors";

/** Root access to a host, the login in clear. Secret. */
export interface OrchestratorHost {
  readonly stack: string;
  readonly ssh: SshTarget;
  readonly sudoPassword?: string | undefined;
  /** Configuration key of its login; `pillar-host:ssh` if left out. */
  readonly configured?: string | undefined;
  /** True if the host is lost and fenced: do not wait for its answer. */
  readonly isLost?: boolean;
}

export interface CallOptions {
  /** Seconds after which the host ends the function; 120 if left out. */
  readonly limitSeconds?: number;
  /** Secret values of variables, which must not appear in an error. */
  readonly secrets?: readonly string[];
}

/** `exitCode` is absent after a broken connection or a signal. */
export interface CallError extends Error {
  exitCode?: number;
}

/** Runs functions of the script library on a host as root, over one connection that is made again after it broke. */
export interface RootHost {
  readonly address: string;
  /** An authorized_keys line. */
  readonly hostKey: string;
  /**
   * Runs a function and returns its standard output, at most 8 MiB. Never retries: after a break it may have run.
   * @throws CallError in the host's words, without secrets
   */
  call(name: string, variables?: Variables, options?: CallOptions): Promise<string>;
  /** Streams the standard output. `done` throws as `call` does: await it after the stream's end. */
  stream(name: string, variables?: Variables, options?: CallOptions): Promise<RootStream>;
  forward(address: string, port: number): Promise<Duplex>;
  close(): void;
}

interface RootStream {
  readonly stdout: Readable;
  readonly done: Promise<void>;
}

interface RunningFunction {
  readonly running: RunningCommand;
  /** The function's output, without that of the login. */
  readonly stdout: Readable;
  readonly first: () => string;
  readonly text: string;
  readonly name: string;
  readonly limitSeconds: number;
  /** Removes secrets and control characters from the host's text. */
  clean(text: string): string;
}

/** Separates, in a library, the part that becomes root from the functions for root. */
export const asRoot = "\n### from here on as root ###\n";

/** Runs a script from standard input; `bash -s` would read it byte by byte. Without `--norc`, bash could run .bashrc. */
const runInput = `bash --norc -euo pipefail -c 'eval "$(cat)"'`;

const maxOutputBytes = 8 * 1024 * 1024;
const defaultLimitSeconds = 120;
/** Time for the host to report that a function reached its limit. */
const graceSeconds = 30;

/** Returns the script for the login user. Function, variables and sudo password never go into a command line. */
export function createRootScript(
  library: string,
  name: string,
  variables: Variables,
  host: Receiver & { readonly limitSeconds: number },
): string {
  const [become = "", functions = ""] = library.split(asRoot);
  const input = `${formatAssignments(createHostVariables(host))}${functions}\n${formatAssignments(variables)}${name} < /dev/null`;
  return createRootEnvelope(
    host,
    become,
    `timeout -k 10 ${host.limitSeconds} ${runInput}`,
    frameScript(input, "streamed"),
  );
}

/** Removes secrets whole, and each line of a secret of several lines. */
export function redactSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const values = secrets.flatMap((secret = "") => {
    const lines = secret.split("\n").filter((line) => line.trim().length > 7);
    return [secret, ...lines].filter((each) => each.trim() !== "");
  });
  return values.sort((a, b) => b.length - a.length).reduce((left, each) => left.replaceAll(each, "[removed]"), text);
}

/** Waits for a function's end. @throws CallError in the host's words */
async function waitForEnd(connection: Connection, address: string, call: RunningFunction): Promise<void> {
  const { running, stdout, first, text, name, limitSeconds, clean } = call;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        stdout.destroy();
        connection.drop("dead");
        reject(new Error(`${address}: ${name} did not end within ${limitSeconds} s: is the connection dead?`));
      },
      (limitSeconds + graceSeconds) * 1000,
    );
  });
  try {
    const { exitCode, stderr: printed } = await Promise.race([running.done, late]);
    const { isDone, stderr } = readAnswer(text, { stdout: "", stderr: printed });
    if (exitCode === 0 && isDone) return;
    if (exitCode === 0 || findOtherUser(first()))
      throw new Error(`${address}: ${formatNotRun(name, clean(first() + printed))}`);
    if (exitCode === undefined)
      throw new Error(
        `${address}: the connection ended while ${name} was at work${stderr && `: ${clean(stderr.trim())}`}`,
      );
    const timedOut = exitCode === 124 || exitCode === 137;
    const reason = clean(stderr.trim()) || (timedOut ? "" : `${address}: ${name} ended with ${exitCode}`);
    const limitText = timedOut ? `${address}: ${name} was ended after ${limitSeconds} s` : "";
    throw Object.assign(new Error([limitText, reason].filter(Boolean).join("\n")), { exitCode });
  } finally {
    clearTimeout(timer);
  }
}

function openOutput(running: RunningCommand, text: string) {
  const stdout = answerStream(text);
  let first = "";
  running.stdout.once("data", (piece: Buffer) => {
    first = piece.toString("utf8", 0, 500);
  });
  const isRead = new Promise((closed) => stdout.once("close", closed));
  pipeline(running.stdout, stdout, () => undefined);
  // After a reader's stop, read the rest: a channel closes only once all its output was read.
  stdout.once("close", () => running.stdout.resume());
  // The error of a reader that stopped must not end the process.
  stdout.on("error", () => undefined);
  return { stdout, first: () => first, isRead };
}

/**
 * Opens root access to a host, and closes `connection` with it. `library` is made by core/steps/libraries.ts:
 * become.sh, `asRoot`, then functions.
 */
export function openRoot(
  host: OrchestratorHost,
  library: string,
  connection: Connection = createConnection(host.ssh, createLoginKeys(host.configured), host.isLost !== true),
): RootHost {
  const { ssh, stack, sudoPassword, configured } = host;
  const own = [ssh.privateKey, ssh.privateKeyPassword, ssh.password, sudoPassword];
  const cleanText = (text: string, secrets: readonly string[] = []) =>
    printableLines(redactSecrets(text, [...own, ...secrets]));
  const session = () =>
    connection.session().catch((error: Error) => {
      const text = cleanText(error.message);
      throw isFatal(error)
        ? Object.assign(createFatalError(text), { refused: Reflect.get(error, "refused") })
        : new Error(text);
    });

  const stream = async (name: string, variables: Variables = {}, options: CallOptions = {}): Promise<RootStream> => {
    const { limitSeconds = defaultLimitSeconds, secrets = [] } = options;
    const receiver = { hostName: ssh.address, stack, sudoPassword, configured, limitSeconds };
    const text = createRootScript(library, name, variables, receiver);
    // Process lists and logs show the name of the function, and not the script.
    const running = await (await session()).start(`${runInput} ${name}`, text);
    const { stdout, first, isRead } = openOutput(running, text);
    const clean = (said: string) => cleanText(said, secrets);
    const end = waitForEnd(connection, ssh.address, { running, stdout, first, text, name, limitSeconds, clean });
    const done = end.finally(() => isRead);
    // No unhandled rejection: the caller may await `done` only after reading the whole stream.
    done.catch(() => undefined);
    return { stdout, done };
  };

  return {
    address: ssh.address,
    hostKey: ssh.hostKey,
    stream,
    call: async (name, variables, options) => {
      const running = await stream(name, variables, options);
      const printed = await collect(running, maxOutputBytes, `${ssh.address}: the output of ${name}`);
      return printed.toString("utf8");
    },
    forward: async (address, port) => (await session()).forward(address, port),
    close: () => connection.drop(),
  };
}
