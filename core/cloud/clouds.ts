import type { StackConfig } from "../config/config";
import type { CloudHostConfig } from "../config/hostSchema";
import { isLoopback, parseHostPort } from "../util/hostPort";
import type { Cloud, CloudConfig } from "./cloud";
import { createDigitalocean } from "./digitalocean";
import { createHetzner } from "./hetzner";
import type { CloudAccess } from "./http";

export const createCloud: Readonly<Record<CloudHostConfig["provider"], (access: CloudAccess) => Cloud>> = {
  hetzner: createHetzner,
  digitalocean: createDigitalocean,
};

/** Creates the client of a stack's cloud provider. */
export function openCloud({ host, apiEndpoint: endpoint }: CloudConfig): Cloud {
  return createCloud[host.provider]({ token: host.token, endpoint });
}

/**
 * Reads the known server, or else the one with the stack's labels. Returns `gone` if there is neither; undefined if the
 * provider does not answer, or names several servers.
 */
export async function readServer(config: StackConfig, host: CloudHostConfig, id = host.importId) {
  const cloud = openCloud({ ...config, host });
  try {
    const known = id === undefined ? undefined : await cloud.readServer(id);
    if (known) return known;
    const { servers } = await cloud.readInventory(config);
    return servers.length > 1 ? undefined : (servers[0] ?? "gone");
  } catch {
    return undefined;
  }
}

/** Returns a line about an API at another address than the provider's usual one: whoever wrote that address gets the token. */
export function describeOtherEndpoint({ host, apiEndpoint }: CloudConfig): string | undefined {
  if (apiEndpoint === undefined || isLoopback(parseHostPort(apiEndpoint).host)) return undefined;
  return `the API of ${host.provider} is asked at ${new URL(apiEndpoint).host}, as the stack's file says: it gets the API token`;
}
