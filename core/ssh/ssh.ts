import type { Duplex, Readable } from "node:stream";
import ssh2 from "ssh2";
import { printable } from "../util/printable";

/** Where and how to log in; plain values, as a provider gets them. */
export interface SshTarget {
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** An authorized_keys line without comment: type and base64 key. */
  readonly hostKey: string;
  readonly privateKey?: string | undefined;
  readonly privateKeyPassword?: string | undefined;
  readonly password?: string | undefined;
  /** Use the agent at SSH_AUTH_SOCK. */
  readonly agent?: boolean | undefined;
}

/** Keys of the configuration that say how a host is logged in to, and which host key it shows, for errors. */
export interface LoginKeys {
  readonly login: string;
  readonly hostKey: string;
}

const ownKeys: LoginKeys = { login: "pillar-host:ssh", hostKey: "pillar-host:host.hostKey" };

/** Of a host that one key of the configuration tells all of; of the stack's own where it is left out (pure). */
export function loginKeys(configured?: string): LoginKeys {
  return configured === undefined ? ownKeys : { login: configured, hostKey: `${configured}.hostKey` };
}

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

/** One ssh connection. */
export interface SshSession {
  /** False once the connection broke. */
  readonly isOpen: boolean;
  /** Opens a TCP stream from the host to an address that it reaches. */
  forward(address: string, port: number): Promise<Duplex>;
  /**
   * Runs a command as the login user, with a text on its standard input.
   *
   * @throws where it prints more than 256 KiB
   */
  run(command: string, input: string): Promise<CommandResult>;
  /** The same, with its standard output as a stream of any length. */
  start(command: string, input: string): Promise<RunningCommand>;
  close(): void;
}

/** What an error carries when trying again cannot help; an interface, because a class would not serialize. */
export interface FatalError extends Error {
  fatal: true;
}

export function fatal(message: string): FatalError {
  return Object.assign(new Error(message), { fatal: true as const });
}

/** An error for a port of the host on which nothing listens. */
export function closedPort(what: string): Error & { readonly isClosedPort: true } {
  return Object.assign(new Error(what), { isClosedPort: true as const });
}

export function isClosedPort(error: Error & { readonly isClosedPort?: boolean }): boolean {
  return error.isClosedPort === true;
}

/** What a host refused, or is refused for. */
export interface RefusedError extends FatalError {
  refused: "hostKey" | "login";
  /** Of a host key: authorized_keys lines. */
  keys?: { readonly shown: string; readonly pinned: string };
}

export function refusal(
  refused: RefusedError["refused"],
  message: string,
  more: Pick<RefusedError, "keys"> = {},
): RefusedError {
  return Object.assign(fatal(message), { refused, ...more });
}

/** What an error carries when no login was tried; trying again may help, but for a name that nobody knows. */
export interface UnreachedError extends Error {
  unreached: "closedEarly" | "unknownName" | "noConnection";
  /** Without the host. */
  reason: string;
}

/** What a login that fails ends with. */
export type LoginError = Error & Partial<Pick<RefusedError, "refused" | "keys">> & Partial<UnreachedError>;

/** An error for a host that can't be reached. @param where whom, and from which login */
export function unreached(where: string, error?: Error & { code?: string }): UnreachedError {
  const reason = error === undefined ? closedEarly : reasonOf(error);
  const silent = error?.code === "ENOTFOUND" ? "unknownName" : "noConnection";
  const how = error === undefined ? "closedEarly" : silent;
  return Object.assign(new Error(`${where}: ${reason}`), { unreached: how, reason } as const);
}

export function isFatal(error: unknown): boolean {
  return error instanceof Error && (error as Partial<FatalError>).fatal === true;
}

// ssh2 names RSA keys by their signature; the others by their type.
function algorithmsOf(type: string): string[] {
  return type === "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256"] : [type];
}

/**
 * Connects and logs in. Keeps the connection alive, and notices within a minute when it died.
 *
 * @throws FatalError when the host shows another key than the pinned one, or refuses the login; a plain Error when it
 *   can't be reached
 */
export function connectSsh(target: SshTarget, keys: LoginKeys = loginKeys()): Promise<SshSession> {
  const [type = "", key = ""] = target.hostKey.split(" ");
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    let shown: string | undefined;
    let isOpen = false;
    client.on("close", () => {
      isOpen = false;
    });
    client.on("ready", () => {
      isOpen = true;
      // A call is a few small packets: held back for each other's answer they take 40 ms more.
      client.setNoDelay(true);
      resolve({
        get isOpen() {
          return isOpen;
        },
        run: (command, input) => runOver(client, command, input),
        start: (command, input) => startOver(client, command, input),
        forward: (address, port) =>
          new Promise((opened, failed) => {
            if (!isOpen) throw new Error(`the ssh connection to ${target.address} ended`);
            client.forwardOut("127.0.0.1", 0, address, port, (error, stream) => {
              if (!error) opened(stream);
              else if (/Connection refused/.test(error.message))
                failed(closedPort(`nothing listens on ${address}:${port} of the host: the node restarts or is down`));
              else if (!isOpen) failed(new Error(`the ssh connection to ${target.address} ended`));
              else failed(new Error(`${address}:${port} on the host: ${reasonOf(error)}`));
            });
          }),
        close: () => client.end(),
      });
    });
    client.on("error", (error) => {
      const where = `${target.user}@${target.address}:${target.port}`;
      if (shown !== undefined && shown !== key) {
        reject(
          refusal(
            "hostKey",
            `${target.address} shows another host key than the pinned one\n  found: ${type} ${shown}\n  needed: ${type} ${key}\nWas the machine reinstalled, or is somebody in between? Compare the key at the provider's console before you change ${keys.hostKey}.`,
            { keys: { shown: `${type} ${shown}`, pinned: `${type} ${key}` } },
          ),
        );
      } else if (error.level === "client-authentication") {
        reject(
          refusal(
            "login",
            `${where} refuses the login\n  needed: a key or password that the host accepts (${keys.login})`,
          ),
        );
      } else reject(unreached(where, error));
    });
    // Without an error: a host that boots or goes down lets in root alone, and one with too many logins drops some.
    client.on("close", () => reject(unreached(`${target.user}@${target.address}:${target.port}`)));
    client.connect({
      host: target.address,
      port: target.port,
      username: target.user,
      hostVerifier: (offered: Buffer) => {
        shown = offered.toString("base64");
        return shown === key;
      },
      algorithms: { serverHostKey: algorithmsOf(type) as ssh2.ServerHostKeyAlgorithm[] },
      readyTimeout: 20_000,
      keepaliveInterval: 15_000,
      keepaliveCountMax: 3,
      ...(target.privateKey ? { privateKey: target.privateKey } : {}),
      ...(target.privateKeyPassword ? { passphrase: target.privateKeyPassword } : {}),
      ...(target.password ? { password: target.password } : {}),
      ...(target.agent && process.env.SSH_AUTH_SOCK ? { agent: process.env.SSH_AUTH_SOCK } : {}),
    });
  });
}

const outputLimit = 256 * 1024;

function runOver(client: ssh2.Client, command: string, input: string): Promise<CommandResult> {
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
        if (stderr.length < outputLimit) stderr += piece;
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

function startOver(client: ssh2.Client, command: string, input: string): Promise<RunningCommand> {
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

const closedEarly = "the host closed the connection before the login was done";

function reasonOf(error: Error & { code?: string }): string {
  return printable(error.message) || error.code || "connection failed";
}

/**
 * The ed25519 key that a host shows, without logging in: for the first contact with an existing host.
 *
 * @returns an authorized_keys line
 */
export function scanHostKey(address: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.on("error", (error) => reject(unreached(`${address}:${port}`, error)));
    client.on("close", () => reject(unreached(`${address}:${port}`)));
    client.connect({
      host: address,
      port,
      username: "nobody",
      hostVerifier: (offered: Buffer) => {
        resolve(`ssh-ed25519 ${offered.toString("base64")}`);
        return false;
      },
      algorithms: { serverHostKey: ["ssh-ed25519"] },
      readyTimeout: 20_000,
    });
  });
}
