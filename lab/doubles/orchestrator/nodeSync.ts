import { connect } from "node:net";
import type { BridgeInfo } from "../chain/bridge";
import type { OrchestratorConfig } from "./stateDir";

/**
 * Returns the HTTP URL of the configured node, whose network the bridge calls Zenon. The configuration usually has the
 * node's default WebSocket port, 35998. It becomes the HTTP port 35997.
 */
export function nodeRpcUrl(config: OrchestratorConfig): string {
  const url = new URL(config.Networks.Zenon?.Urls[0] ?? "ws://127.0.0.1:35998");
  return `http://${url.hostname}:${url.port === "35998" ? "35997" : url.port}`;
}

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
