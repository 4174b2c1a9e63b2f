import type { StackConfig } from "../config/config.ts";
import type { CloudHostConfig } from "../config/hostSchema.ts";
import { isLoopback, parseHostPort } from "../util/hostPort.ts";
import type { Cloud, CloudConfig } from "./cloud.ts";
import { createDigitalocean } from "./digitalocean.ts";
import { createHetzner } from "./hetzner.ts";
import type { CloudAccess } from "./http.ts";

export const createCloud: Readonly<Record<CloudHostConfig["provider"], (access: CloudAccess) => Cloud>> = {
  hetzner: createHetzner,
  digitalocean: createDigitalocean,
};

/** Creates the client of a stack's cloud provider. */
export function openCloud({ host, apiEndpoint: endpoint }: Pick<CloudConfig, "host" | "apiEndpoint">): Cloud {
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
