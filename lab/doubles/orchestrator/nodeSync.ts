import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import type { BridgeInfo } from "../chain/bridge.ts";
import type { Log } from "./logLines.ts";

/** Connection to the node of config.json. Holds its WebSocket open, and asks it over HTTP. */
export class NodeLink {
  /** The node's HTTP URL, on the port before the WebSocket's. By address, because over HTTP the node refuses names. */
  rpcUrl = "";
  private socket: Socket | undefined;

  constructor(private readonly log: Log) {}

  get isOpen(): boolean {
    return this.socket?.destroyed === false;
  }

  /**
   * Dials the URLs in turn, each three times at once, and waits for none (HyperCore-Team/orchestrator, rpc/znn.go:36 and
   * common/config/urls.go:7). Logs each failure with the whole URL.
   */
  async dial(urls: readonly string[]): Promise<void> {
    for (const url of [...urls, ...urls, ...urls]) {
      try {
        this.socket = (await dialWebSocket(url)).on("error", () => this.close());
        // A socket that nobody reads does not see its end.
        this.socket.on("end", () => this.close()).resume();
        const { remoteAddress = "" } = this.socket;
        const port = new URL(url).port || "80";
        const host = isIP(remoteAddress) === 6 ? `[${remoteAddress}]` : remoteAddress;
        this.rpcUrl = `http://${host}:${port === "35998" ? "35997" : port}`;
        return;
      } catch (error) {
        this.log("INFO", "rpc/znn.go:44", `Error when dialing ${url}, got: ${(error as Error).message}`);
      }
    }
    throw new Error("cannot connect to any urls to a znn node");
  }

  close(): void {
    this.socket?.destroy();
  }
}

/** Opens a WebSocket. User and password become a header (go-zenon, rpc/server/websocket.go:176). @throws in Go's words */
function dialWebSocket(text: string): Promise<Socket> {
  const { hostname, port, host, username, password } = new URL(text);
  const [, written = ""] = /\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^:/?#]*)/.exec(text) ?? [];
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(why));
    const bare = (name: string) => name.replace(/^\[|\]$/g, "");
    // Go reads an address in its usual form only, and looks anything else up as a name.
    if (isIP(bare(hostname)) !== 0 && isIP(bare(written)) === 0)
      return fail(`dial tcp: lookup ${written}: no such host`);
    const handshake = request({
      host: bare(hostname),
      port: port || 80,
      agent: false,
      ...(username === "" ? {} : { auth: `${username}:${password}` }),
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": randomBytes(16).toString("base64"),
      },
    });
    handshake.once("upgrade", (_response, socket) => resolve(socket as Socket));
    handshake.once("response", ({ statusCode }) => fail(`websocket: bad handshake (HTTP status ${statusCode})`));
    handshake.once("error", ({ code }: NodeJS.ErrnoException) => fail(dialError(host, code)));
    handshake.end();
  });
}

const dialErrors: Readonly<Record<string, string>> = { ENOTFOUND: "no such host", EAI_AGAIN: "server misbehaving" };
const dialError = (host: string, code = "") =>
  dialErrors[code] === undefined
    ? `dial tcp ${host}: connect: connection refused`
    : `dial tcp: lookup ${host}: ${dialErrors[code]}`;

/**
 * True if the node reports that it is synced.
 * @throws if the node refuses the connection
 */
export async function isSynced(rpcUrl: string): Promise<boolean> {
  try {
    return (await ask<{ state?: number }>(rpcUrl, "stats.syncInfo"))?.state === 2;
  } catch (error) {
    if (isRefused(error)) throw new Error(`dial tcp ${new URL(rpcUrl).host}: connect: connection refused`);
    return false;
  }
}

/**
 * Reads the state of the bridge's contract from the node.
 * @throws if the node does not answer
 */
export async function bridgeInfo(rpcUrl: string): Promise<BridgeInfo> {
  const info = await ask<BridgeInfo>(rpcUrl, "embedded.bridge.getBridgeInfo");
  if (info === undefined) throw new Error("the method embedded.bridge.getBridgeInfo does not exist/is not available");
  return info;
}

async function ask<T>(rpcUrl: string, method: string): Promise<T | undefined> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }),
    signal: AbortSignal.timeout(5000),
  });
  return ((await response.json()) as { result?: T }).result;
}

const isRefused = (error: unknown) => /ECONNREFUSED/.test(String((error as { cause?: Error }).cause ?? error));

/**
 * True if a network's node accepts a connection. Hosts that end in .example stand for machines on the Internet and
 * always accept.
 */
export function canDial(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  if (hostname.endsWith(".example")) return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || (/s:$/.test(protocol) ? 443 : 80)), timeout: 5000 });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}
