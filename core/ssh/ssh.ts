import type { Duplex } from "node:stream";
import ssh2 from "ssh2";
import { type CommandResult, type RunningCommand, runOver, startOver } from "./sshCommands";
import { closedPort, forbidden, reasonOf, refusal, unreached } from "./sshErrors";

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

/** SSH_OPEN_ADMINISTRATIVELY_PROHIBITED (RFC 4254, 5.1). */
const prohibited = 1;

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
              else if (Reflect.get(error, "reason") === prohibited)
                failed(
                  forbidden(
                    `${address}:${port} on the host: its sshd forbids forwarding (AllowTcpForwarding, DisableForwarding, PermitOpen)`,
                  ),
                );
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
          refusal("login", `${where} refuses the login`, {
            needed: `a key or password that the host accepts (${keys.login})`,
          }),
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
