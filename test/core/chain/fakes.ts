import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import ssh2, { type AuthContext, type Connection, type ServerChannel } from "ssh2";
import { onTestFinished } from "vitest";
import type { SshTarget } from "../../../core/ssh/ssh.ts";

export interface Server {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a server on loopback that drops its connections when it closes. */
export async function listen(server: net.Server, port = 0, address = "127.0.0.1"): Promise<Server> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Closes a server once its test has finished. */
export async function use<T extends { close(): unknown }>(starting: T | Promise<T>): Promise<T> {
  const server = await starting;
  onTestFinished(async () => void (await server.close()));
  return server;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** The method by which a node reports its own id. */
export const idCall = "stats.networkInfo";

export type FakeNode = Server & { readonly asked: Asked[] };

/**
 * Starts a node's RPC with `results` by method, the id of its own and no other method, and records its requests.
 *
 * @param results a function is called with the parameters
 * @param address of loopback: another address is another machine
 */
export async function fakeNode(results: Record<string, unknown>, address = "127.0.0.1"): Promise<FakeNode> {
  const asked: Asked[] = [];
  const own: Record<string, unknown> = {
    [idCall]: { numPeers: 8, self: { publicKey: randomBytes(64).toString("hex") } },
  };
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      asked.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: readonly unknown[] };
      const unknown = { code: -32601, message: `the method ${method} does not exist/is not available` };
      const given = method in results ? results[method] : own[method];
      const result = typeof given === "function" ? given(...params) : given;
      const answer = given === undefined ? { error: unknown } : { result };
      response.end(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
    });
  });
  return { ...(await listen(server, 0, address)), asked };
}

/** Starts an orchestrator's RPC. @param answer returns the result of a method */
export const orchestratorRpc = (answer: (method: string) => unknown, error = () => "") =>
  listen(
    http.createServer(async (request, response) => {
      const { method } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { method: string };
      response.end(JSON.stringify({ result: answer(method), error: error() }));
    }),
  );

/** Results of a synced node; all momentums of a chain have its name for a hash. */
export function synced(height = 100, chain = "ab"): Record<string, unknown> {
  const timestamp = Math.floor(Date.now() / 1000);
  const momentum = (at: number) => ({ height: at, timestamp, hash: chain, producer: "z1q" });
  return {
    "stats.syncInfo": { state: 2, currentHeight: height, targetHeight: height },
    "ledger.getFrontierMomentum": momentum(height),
    "ledger.getMomentumsByHeight": (first: number, count: number) => ({
      list: Array.from({ length: count }, (_, i) => momentum(first + i)),
    }),
  };
}

export interface SshHost extends Server {
  /** The authorized_keys line of its host key. */
  readonly hostKey: string;
  connections: number;
  open: number;
  /** Breaks all connections, as a dead link does. */
  breakAll(): void;
}

/** Creates an ed25519 key pair. Repeats it if ssh2 cannot read the key that it made, as happens now and then. */
export function keyPair(passphrase?: string): { private: string; public: string } {
  for (;;) {
    const pair = passphrase
      ? ssh2.utils.generateKeyPairSync("ed25519", { passphrase, cipher: "aes256-ctr", rounds: 4 })
      : ssh2.utils.generateKeyPairSync("ed25519");
    if (!(ssh2.utils.parseKey(pair.private, passphrase) instanceof Error)) return pair;
  }
}

/** Stands for the shell that sshd starts, which reads start files below its home. */
export interface LoginShell {
  readonly shell: string;
  readonly home: string;
}

/** Starts an ssh server on loopback that forwards, and accepts `login-pw` by default. */
export async function sshHost(
  accepts: (attempt: AuthContext) => boolean = (attempt) =>
    attempt.method === "password" && attempt.password === "login-pw",
  hold: () => Promise<void> = async () => undefined,
  login: LoginShell = { shell: "/bin/sh", home: "" },
  sshd: { readonly forbidsForwarding?: boolean; readonly forced?: string; readonly isEcdsa?: boolean } = {},
): Promise<SshHost> {
  const keys = sshd.isEcdsa ? ssh2.utils.generateKeyPairSync("ecdsa", { bits: 256 }) : keyPair();
  const server = new ssh2.Server({ hostKeys: [keys.private] });
  const links = new Set<Connection>();
  let host: SshHost;
  server.on("connection", (link) => {
    links.add(link);
    host.connections += 1;
    host.open += 1;
    link.on("error", () => undefined);
    link.on("close", () => {
      host.open -= 1;
      links.delete(link);
    });
    link.on("authentication", (attempt) => {
      if (accepts(attempt)) hold().then(() => attempt.accept());
      else attempt.reject(["password", "publickey"]);
    });
    link.on("session", (acceptSession) => {
      const session = acceptSession();
      session.on("exec", (accept, _reject, { command }) => runCommand(login, sshd.forced ?? command, accept()));
    });
    // Without a listener the server answers that forwarding is prohibited.
    if (sshd.forbidsForwarding) return;
    link.on("tcpip", (accept, reject, { destIP, destPort }) => {
      const onward = net.connect(destPort, destIP);
      onward.on("error", () => reject());
      onward.on("connect", () => {
        const channel = accept();
        channel.on("error", () => undefined);
        channel.pipe(onward).pipe(channel);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const breakAll = () => {
    for (const link of links) link.end();
  };
  host = {
    port: (server.address() as AddressInfo).port,
    hostKey: keys.public.split(" ").slice(0, 2).join(" "),
    connections: 0,
    open: 0,
    breakAll,
    close: () => {
      breakAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return host;
}

function runCommand({ shell, home }: LoginShell, command: string, channel: ServerChannel): void {
  // SSH_CLIENT makes bash read .bashrc, as after a start by sshd (its shell.c, run_startup_files).
  const env = { PATH: process.env.PATH, ...(home && { HOME: home, SSH_CLIENT: "127.0.0.1 1 22" }) };
  const child = spawn(shell, ["-c", command], { env });
  child.stdin.on("error", () => undefined);
  channel.on("error", () => undefined);
  channel.on("close", () => child.kill());
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on("close", (code, signal) => {
    if (signal) channel.exit(signal.slice(3));
    else channel.exit(code ?? 1);
    channel.end();
  });
}

export const loginTo = ({ port, hostKey }: { port: number; hostKey: string }): SshTarget => ({
  address: "127.0.0.1",
  port,
  user: "op",
  hostKey,
  password: "login-pw",
});

let candidate = 10_000 + (process.pid % 200) * 100;

/** Returns a port on loopback without a listener, outside the range that the system gives to servers. */
export async function closedPort(): Promise<number> {
  for (;;) {
    const port = candidate++;
    const server = net.createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
