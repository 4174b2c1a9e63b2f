import { pipeline, type Readable } from "node:stream";
import { printableLines } from "../util/printable.ts";
import { ProblemError } from "../util/problem.ts";
import { quoteShellWord } from "../util/quote.ts";
import { redactSecrets } from "../util/redact.ts";
import { withTimeout } from "../util/withTimeout.ts";
import { answerStream, formatNotRun, frameScript, readAnswer } from "./answer.ts";
import { type Connection, createConnection } from "./connection.ts";
import type { Variables } from "./foreign.ts";
import { formatAssignments } from "./shellWords.ts";
import { createLoginKeys, type SshTarget } from "./ssh.ts";
import { collect, type RunningCommand } from "./sshCommands.ts";
import type { LoginError } from "./sshErrors.ts";
import { trimShell } from "./trimShell.ts";

/** Root access to a host, the login in clear. Secret. */
export interface HostLogin {
  readonly stack: string;
  readonly ssh: SshTarget;
  readonly sudoPassword?: string | undefined;
  /** Configuration key of its login; `pillar-host:ssh` if left out. */
  readonly configured?: string | undefined;
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
  /** Standard output before the failure; it may be secret. */
  readonly printed?: string;
}

/** Separates, in a library, the part that becomes root from the functions for root. */
export const asRoot = "\n### from here on as root ###\n";

/** Runs a script from standard input; `bash -s` would read it byte by byte. Without `--norc`, bash could run .bashrc. */
const runInput = `bash --norc -euo pipefail -c 'eval "$(cat)"'`;

const maxOutputBytes = 8 * 1024 * 1024;
const defaultLimitSeconds = 120;
/** Exit code of refuse_run (core/steps/lib/common.sh). */
const anotherRunCode = 75;
/** Time for the host to report that a function reached its limit. */
const graceSeconds = 30;

/** The sudo password goes through standard input, never into a command line. */
export type Receiver = Pick<HostLogin, "stack" | "sudoPassword" | "configured"> & { readonly hostName: string };

export function createHostVariables({ hostName, stack }: Receiver) {
  return { host_name: hostName, stack_word: quoteShellWord(stack) };
}

/**
 * Returns a script for the login user's shell that becomes root with core/steps/lib/become.sh, then runs a command with
 * an input: shell text, with a line break at its end.
 */
export function createRootEnvelope(receiver: Receiver, become: string, command: string, input: string): string {
  const { sudoPassword = "", configured } = receiver;
  const login_key = createLoginKeys(configured).login.slice("pillar-host:".length);
  return `${formatAssignments({ ...createHostVariables(receiver), login_key, sudo_password: sudoPassword })}${trimShell(become, "become_root")}
become_root ${command} <<'PILLAR_HOST_ROOT'
${input}PILLAR_HOST_ROOT
`;
}

/** Returns the script for the login user. Function, variables and sudo password never go into a command line. */
export function createRootScript(
  library: string,
  name: string,
  variables: Variables,
  host: Receiver & { readonly limitSeconds: number },
): string {
  const [become = "", functions = ""] = library.split(asRoot);
  const call = `${formatAssignments(variables)}${name} < /dev/null`;
  const input = `${formatAssignments(createHostVariables(host))}${trimShell(functions, call)}\n${call}`;
  return createRootEnvelope(
    host,
    become,
    `timeout -k 10 ${host.limitSeconds} ${runInput}`,
    frameScript(input, "streamed"),
  );
}

type EndedFunction = Awaited<RunningCommand["done"]> &
  Readonly<Record<"address" | "name" | "script" | "first", string>>;

/**
 * Returns the fault of a function that did not run to its end, in the host's words; undefined if it did. `first`: the
 * beginning of what the login printed.
 */
function findCallFault(call: EndedFunction, limitSeconds: number): string | undefined {
  const { exitCode, stderr: printed, address, name, script, first } = call;
  const { isDone, stderr } = readAnswer(script, { stdout: "", stderr: printed });
  const said = stderr.trim();
  if (exitCode === 0 && isDone) return undefined;
  if (exitCode === 0) return `${address}: ${formatNotRun(name, first + printed)}`;
  if (exitCode === undefined) return `${address}: the connection ended while ${name} was at work${said && `: ${said}`}`;
  // The exit codes of timeout.
  const isLate = exitCode === 124 || exitCode === 137;
  const late = `${address}: ${name} was ended after ${limitSeconds} s\n${said}`.trim();
  return isLate ? late : said || `${address}: ${name} ended with ${exitCode}`;
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

export type RootHost = ReturnType<typeof openRoot>;

/**
 * Opens root access to a host: runs functions of the script library on it as root, over one connection that is made
 * again after it broke. Closes `connection` with it. `library` is made by core/steps/libraries.ts:
 * become.sh, `asRoot`, then functions.
 */
export function openRoot(
  host: HostLogin,
  library: string,
  connection: Connection = createConnection(host.ssh, createLoginKeys(host.configured), true),
) {
  const { ssh, stack, sudoPassword, configured } = host;
  const own = [ssh.privateKey, ssh.privateKeyPassword, ssh.password, sudoPassword];
  const cleanText = (text: string, secrets: readonly string[] = []) =>
    printableLines(redactSecrets(text, [...own, ...secrets]));
  const session = () =>
    connection.session().catch((error: LoginError) => {
      const { isFromProxy, problem, message } = error;
      throw Object.assign(new ProblemError({ kind: problem?.kind, what: cleanText(message) }), { isFromProxy });
    });

  /** Streams the standard output. `done` throws as `call` does: await it after the stream's end. */
  const stream = async (name: string, variables: Variables = {}, options: CallOptions = {}) => {
    const { limitSeconds = defaultLimitSeconds, secrets = [] } = options;
    const receiver = { hostName: ssh.address, stack, sudoPassword, configured, limitSeconds };
    const script = createRootScript(library, name, variables, receiver);
    // Process lists and logs show the name of the function, and not the script.
    const running = await (await session()).start(`${runInput} ${name}`, script);
    const { stdout, first, isRead } = openOutput(running, script);
    const late = `${ssh.address}: ${name} did not end within ${limitSeconds} s: is the connection dead?`;
    const wait = async () => {
      const ended = await withTimeout(running.done, (limitSeconds + graceSeconds) * 1000, late).catch((error) => {
        stdout.destroy();
        connection.drop("dead");
        throw error;
      });
      const fault = findCallFault({ ...ended, address: ssh.address, name, script, first: first() }, limitSeconds);
      if (fault === undefined) return;
      const kind = ended.exitCode === anotherRunCode ? "anotherRun" : undefined;
      const error = new ProblemError({ kind, what: cleanText(fault, secrets) });
      throw ended.exitCode ? Object.assign(error, { exitCode: ended.exitCode }) : error;
    };
    const done = wait().finally(() => isRead);
    // No unhandled rejection: the caller may await `done` only after reading the whole stream.
    done.catch(() => undefined);
    return { stdout: stdout as Readable, done };
  };

  return {
    address: ssh.address,
    /** An authorized_keys line. */
    hostKey: ssh.hostKey,
    stream,
    /**
     * Runs a function and returns its standard output, at most 8 MiB. Never retries: after a break it may have run.
     * @throws CallError in the host's words, without secrets
     */
    call: async (name: string, variables?: Variables, options?: CallOptions) => {
      const running = await stream(name, variables, options);
      const printed = await collect(running, maxOutputBytes, `${ssh.address}: the output of ${name}`);
      return printed.toString("utf8");
    },
    forward: async (address: string, port: number) => (await session()).forward(address, port),
    close: () => connection.drop(),
  };
}
