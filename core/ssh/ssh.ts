import type { Duplex } from "node:stream";
import ssh2 from "ssh2";
import { takeFirstLine } from "../util/printable.ts";
import { hasKind, ProblemError } from "../util/problem.ts";
import { createForwardingFault } from "./forwarding.ts";
import { createAlgorithmError, createLoginAttempt, createLoginKeys, type LoginKeys, type SshTarget } from "./login.ts";
import { computeFingerprint } from "./publicKey.ts";
import { runOver, startOver } from "./sshCommands.ts";
import { createUnreachedError, describeConnectionError, type LoginError } from "./sshErrors.ts";

export { createLoginKeys, type LoginKeys, type SshTarget } from "./login.ts";

/** SSH_OPEN_ADMINISTRATIVELY_PROHIBITED (RFC 4254, 5.1). */
const prohibited = 1;

// ssh2 names RSA keys by their signature; the others by their type.
function algorithmsOf(type: string): ssh2.ServerHostKeyAlgorithm[] {
  return type === "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256"] : [type as ssh2.ServerHostKeyAlgorithm];
}

/** Timeouts for the first answer and for the login, for which sshd itself allows two minutes. */
const timeoutsMs = { answer: 20_000, login: 125_000 };

type Route = Awaited<ReturnType<typeof openRoute>>;

async function openRoute({ address, port, proxy }: Pick<SshTarget, "address" | "port" | "proxy">, keys: LoginKeys) {
  if (proxy === undefined) return { sock: undefined, close: () => undefined };
  const session = await connectSsh(proxy, createLoginKeys(`${keys.login}.proxy`)).catch((error: LoginError) => {
    throw Object.assign(error, { isFromProxy: true });
  });
  const sock = await session.forward(address, port).catch((error: LoginError) => {
    session.close();
    if (hasKind(error, "forbidden")) throw Object.assign(error, { isFromProxy: true });
    const why = new Error(`the proxy ${proxy.address} does not reach the host (${error.message})`);
    throw createUnreachedError(`${address}:${port}`, why);
  });
  return { sock, close: () => session.close() };
}

/**
 * Connects and logs in. Notices within a minute if the connection died. Throws FatalError if the host shows another key
 * than the pinned one, or refuses the login; a plain Error if it can't be reached.
 */
export async function connectSsh(target: SshTarget, keys: LoginKeys = createLoginKeys()): Promise<SshSession> {
  const route = await openRoute(target, keys);
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    const attempt = createLoginAttempt(client, target, keys);
    const shown = { key: undefined as string | undefined };
    let timer: NodeJS.Timeout;
    const fail = (error: LoginError) => {
      clearTimeout(timer);
      reject(error);
      client.destroy();
      route.close();
    };
    const endAfter = (milliseconds: number, what: string) => {
      clearTimeout(timer);
      const late = new Error(`${what} within ${milliseconds / 1000} s`);
      timer = setTimeout(() => fail(attempt.failure(late)), milliseconds);
    };
    endAfter(timeoutsMs.answer, "no answer of an ssh server");
    client.once("handshake", () => endAfter(timeoutsMs.login, "the login did not end"));
    client.on("ready", () => {
      clearTimeout(timer);
      // A call is a few small packets: Nagle's algorithm would delay them by 40 ms.
      if (route.sock === undefined) client.setNoDelay(true);
      resolve(sessionOver(client, target));
    });
    client.on("error", (error) => fail(otherKey(target, shown.key, keys) ?? attempt.failure(error)));
    // A close without an error: the host boots, shuts down, or drops some of too many logins.
    client.on("close", () => fail(attempt.failure()));
    try {
      client.connect({ ...attempt.config, ...connectConfig(target, route, shown) });
    } catch (error) {
      // `connect` throws if it can't read the private key.
      fail(error as Error);
    }
  });
}

function connectConfig(target: SshTarget, route: Route, shown: { key?: string | undefined }): ssh2.ConnectConfig {
  const [type = "", key] = target.hostKey.split(" ");
  return {
    ...(route.sock ? { sock: route.sock } : { host: target.address, port: target.port }),
    username: target.user,
    hostVerifier: (offered: Buffer) => {
      shown.key = offered.toString("base64");
      return shown.key === key;
    },
    algorithms: { serverHostKey: algorithmsOf(type) },
    readyTimeout: 0,
    keepaliveInterval: 15_000,
    keepaliveCountMax: 3,
  };
}

export type SshSession = ReturnType<typeof sessionOver>;

function sessionOver(client: ssh2.Client, target: SshTarget) {
  const host = target.address;
  let isOpen = true;
  client.on("close", () => {
    isOpen = false;
  });
  return {
    /** Returns false once the connection broke. */
    get isOpen() {
      return isOpen;
    },
    /** Runs a command as the login user, with a text on its standard input. @throws if it prints more than 256 KiB */
    run: (command: string, input: string) => runOver(client, command, input),
    /** Runs a command with its standard output as a stream of any length. */
    start: (command: string, input: string) => startOver(client, command, input),
    forward: (address: string, port: number) =>
      new Promise<Duplex>((opened, failed) => {
        if (!isOpen) throw new Error(`the ssh connection to ${host} ended`);
        client.forwardOut("127.0.0.1", 0, address, port, (error, stream) => {
          if (!error) opened(stream);
          else if (Reflect.get(error, "reason") !== prohibited)
            failed(createForwardError(error, `${address}:${port}`, host, isOpen));
          else createForwardingFault(client, target, `${address}:${port}`).then(failed);
        });
      }),
    close: () => void client.end(),
  };
}

function createForwardError(error: Error, place: string, host: string, isOpen: boolean): LoginError {
  const closed = `nothing listens on ${place}, seen from ${host}`;
  if (/Connection refused/.test(error.message)) return new ProblemError({ kind: "closedPort", what: closed });
  if (!isOpen) return new Error(`the ssh connection to ${host} ended`);
  return new Error(`${place} on the host: ${describeConnectionError(error)}`);
}

function otherKey({ address, hostKey: pinned }: SshTarget, key: string | undefined, keys: LoginKeys) {
  const shown = `${pinned.split(" ")[0]} ${key}`;
  if (key === undefined || shown === pinned) return undefined;
  return new ProblemError({
    kind: "otherHostKey",
    what: `${address} shows another host key than the pinned one`,
    found: shown,
    needed: pinned,
    next: `Was the machine reinstalled, or is somebody in between? Compare the key at the provider's console before you change ${keys.hostKey}.`,
  });
}

/** Reads a host's key of a type as an authorized_keys line, without a login. */
export async function scanHostKey(address: string, port: number, proxy?: SshTarget, type = "ssh-ed25519") {
  const route = await openRoute({ address, port, proxy }, createLoginKeys());
  const scan = new Promise<string>((resolve, reject) => {
    const client = new ssh2.Client();
    const where = `${address}:${port}`;
    client.on("error", (error) =>
      reject(createAlgorithmError(where, error, type) ?? createUnreachedError(where, error)),
    );
    client.on("close", () => reject(createUnreachedError(where)));
    client.connect({
      ...(route.sock ? { sock: route.sock } : { host: address, port }),
      username: "nobody",
      hostVerifier: (offered: Buffer) => {
        resolve(`${type} ${offered.toString("base64")}`);
        return false;
      },
      algorithms: { serverHostKey: algorithmsOf(type) },
      readyTimeout: timeoutsMs.answer,
    });
  });
  return scan.finally(() => route.close());
}

/** Reads the ed25519 host key that an ssh server presents before a login, for the operator to compare: nothing proves it yet. */
export async function readPresentedKey(address: string, port: number, proxy?: SshTarget) {
  try {
    const key = await scanHostKey(address, port, proxy);
    return { key, fingerprint: computeFingerprint(key) };
  } catch (error) {
    const { message, problem } = error as LoginError;
    return { fault: `no ssh server with an ed25519 key answers at ${takeFirstLine(message)}`, needed: problem?.needed };
  }
}
