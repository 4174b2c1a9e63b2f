import * as pulumi from "@pulumi/pulumi";
import type { ServerNow } from "../../core/cloud/cloud";
import type { StackConfig } from "../../core/config/config";
import type { CloudHostConfig } from "../../core/config/hostSchema";
import { cloudProviders } from "./cloudProviders";

/**
 * The server of a stack at its provider: the one that it is known by, else the one with its labels. `gone` where there is
 * neither; undefined where the provider does not tell now, or tells of several. Only reads.
 */
export async function serverThere(
  config: StackConfig,
  wanted: CloudHostConfig,
  knownId: string | undefined,
): Promise<ServerNow | "gone" | undefined> {
  const cloud = cloudProviders[wanted.provider].createCloud({
    token: wanted.token,
    endpoint: config.apiEndpoint,
  });
  const id = knownId ?? wanted.importId;
  try {
    const known = id === undefined ? undefined : await cloud.server(id);
    if (known) return known;
    const { servers } = await cloud.found({ stack: pulumi.getStack(), pillar: config.pillar.name }, undefined);
    return servers.length > 1 ? undefined : (servers[0] ?? "gone");
  } catch {
    return undefined;
  }
}
