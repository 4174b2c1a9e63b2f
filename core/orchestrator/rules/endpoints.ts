import type { Connections } from "../../host/facts.ts";
import { isLoopback, normalizeHost } from "../../util/hostPort.ts";

export type Endpoint = ReturnType<typeof listEndpoints>[number];

/**
 * Returns the nodes in config.json with their network's name in the bridge (`Zenon`, `Ethereum`…), without the URLs,
 * whose paths may be access keys. @param own the old host's addresses; a move replaces them (adaptConfig.ts)
 */
export function listEndpoints(config: Readonly<Record<string, unknown>>, own: readonly string[]) {
  const networks = Object.entries((config.Networks as Record<string, { Urls?: unknown }> | null) ?? {});
  return networks.flatMap(([network, settings]) =>
    (Array.isArray(settings?.Urls) ? settings.Urls : []).flatMap((text) => {
      const endpoint = parseEndpoint(String(text), own);
      return endpoint && /^[A-Za-z0-9.:-]+$/.test(endpoint.old) ? [{ network, ...endpoint }] : [];
    }),
  );
}

/**
 * Parses a node's URL, however its host is written: its host:port as seen from each host; an address of `own` is
 * 127.0.0.1 on the new one. `isOwn`: the node is on the orchestrator's host. A name that leads to the old host shows in
 * the connections only. Undefined if no host is named.
 */
export function parseEndpoint(text: string, own: readonly string[]) {
  const { hostname = "", port, protocol = "" } = URL.canParse(text) ? new URL(text) : {};
  const host = normalizeHost(hostname);
  if (host === "") return undefined;
  const withPort = (name: string) => `${name}:${port || (/^(https|wss):$/.test(protocol) ? 443 : 80)}`;
  const isLocal = isLoopback(host);
  const isOwn = isLocal || own.map(normalizeHost).includes(host);
  return { old: withPort(host), new: withPort(isOwn && !isLocal ? localhost : host), isOwn };
}

const localhost = "127.0.0.1";

/** Moves a URL to 127.0.0.1. The rest stays as written, unless only a normalized URL has its host in the usual place. */
export function moveToLocalhost(text: string): string {
  const url = new URL(text);
  url.hostname = localhost;
  const usual = /^([^/\\]*\/\/(?:[^/?#\\]*@)?)(?:\[[^\]]*\]|[^:/?#\\]*)/;
  const kept = text.replace(usual, (_, before: string) => `${before}${localhost}`);
  return URL.canParse(kept) && new URL(kept).href === url.href ? kept : url.href;
}

/** Lists the connections that lead to one of these addresses, as host:port. */
export function findConnectionsTo(connections: Connections, addresses: readonly string[]): string[] {
  const hosts = addresses.map(normalizeHost);
  const found = connections.filter(({ host }) => hosts.includes(host));
  return [...new Set(found.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`))];
}

/** Task of an operator whose orchestrator uses another host's node. It writes config.json when it stops. */
export const useOwnNode =
  "on the orchestrator's host, stop it, name the node there (127.0.0.1) in Networks of its config.json, and start it";
