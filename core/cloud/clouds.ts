import type { StackConfig } from "../config/config";
import type { CloudHostConfig } from "../config/hostSchema";
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
