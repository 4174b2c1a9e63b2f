/** A node that config.json names, as host:port; without paths, which may hold access keys. */
export interface Endpoint {
  /** As the bridge calls it: `Zenon`, `Ethereum`… */
  readonly network: string;
  /** How the old host reaches it, and how the new one will. */
  readonly old: string;
  readonly new: string;
  /** It means the host itself: on the new host it is another machine's. */
  readonly isOwn: boolean;
}

/**
 * The nodes that a configuration names.
 *
 * @param config the JSON of config.json
 * @param own addresses of the host that it lies on; they become 127.0.0.1 on the new one (movedConfig.ts)
 */
export function endpointsOf(config: Readonly<Record<string, unknown>>, own: readonly string[]): Endpoint[] {
  const networks = Object.entries((config.Networks as Record<string, { Urls?: unknown }> | null) ?? {});
  return networks.flatMap(([network, found]) => {
    const urls = Array.isArray(found?.Urls) ? found.Urls.map(String) : [];
    return urls.flatMap((url) => endpointOf(network, url, own));
  });
}

function endpointOf(network: string, url: string, own: readonly string[]): Endpoint[] {
  if (!URL.canParse(url)) return [];
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) return [];
  const at = (name: string) => `${name}:${port || (/^(https|wss):$/.test(protocol) ? 443 : 80)}`;
  const isLoopback = /^(localhost|127\.[\d.]+|0\.0\.0\.0|::1)$/.test(host);
  const isOwn = isLoopback || own.includes(host);
  return [{ network, old: at(host), new: at(isOwn && !isLoopback ? "127.0.0.1" : host), isOwn }];
}

/** Of the networks that a signer has to do with, where its build tells them; the node's is always one. */
export function isUsed({ network }: Endpoint, networks: readonly string[] | undefined): boolean {
  return networks === undefined || isPillarNode({ network }) || networks.includes(network);
}

/** Whether it is the node beside a Pillar, which a stand-up deploys. */
export function isPillarNode({ network }: Pick<Endpoint, "network">): boolean {
  return network === "Zenon";
}
