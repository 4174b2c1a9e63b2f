/** A node in config.json: its host:port as seen from each host, without the URL's path, which may be an access key. */
export interface Endpoint {
  /** The name of its network in the bridge: `Zenon`, `Ethereum`… */
  readonly network: string;
  readonly old: string;
  readonly new: string;
  /** True if the node is on the orchestrator's host: after the move that is the node on the new host. */
  readonly isOwn: boolean;
}

/** Returns the nodes in config.json. @param own the old host's addresses; a move replaces them (adaptConfig.ts) */
export function listEndpoints(config: Readonly<Record<string, unknown>>, own: readonly string[]): Endpoint[] {
  const networks = Object.entries((config.Networks as Record<string, { Urls?: unknown }> | null) ?? {});
  return networks.flatMap(([network, settings]) => {
    const urls = Array.isArray(settings?.Urls) ? settings.Urls.map(String) : [];
    return urls.flatMap((url) => endpointOf(network, url, own));
  });
}

function endpointOf(network: string, url: string, own: readonly string[]): Endpoint[] {
  if (!URL.canParse(url)) return [];
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) return [];
  const withPort = (name: string) => `${name}:${port || (/^(https|wss):$/.test(protocol) ? 443 : 80)}`;
  const isLoopback = /^(localhost|127\.[\d.]+|0\.0\.0\.0|::1)$/.test(host);
  const isOwn = isLoopback || own.includes(host);
  return [{ network, old: withPort(host), new: withPort(isOwn && !isLoopback ? "127.0.0.1" : host), isOwn }];
}

/** True if the orchestrator uses the network: it is the Pillar node's, in the status' list, or there is no list. */
export function isUsed({ network }: Endpoint, networks: readonly string[] | undefined): boolean {
  return networks === undefined || isPillarNode({ network }) || networks.includes(network);
}

/** True if an endpoint is the node beside a Pillar, which this program deploys. */
export function isPillarNode({ network }: Pick<Endpoint, "network">): boolean {
  return network === "Zenon";
}
