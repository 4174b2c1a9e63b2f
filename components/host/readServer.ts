import * as pulumi from "@pulumi/pulumi";
import type { ServerNow } from "../../core/cloud/cloud";
import { createCloud } from "../../core/cloud/clouds";
import type { StackConfig } from "../../core/config/config";
import type { CloudHostConfig } from "../../core/config/hostSchema";

/**
 * Reads the known server, or else the one with the stack's labels. Returns `gone` if there is neither; undefined if the
 * provider does not answer, or names several servers.
 */
export async function readServer(
  config: StackConfig,
  wanted: CloudHostConfig,
  knownId: string | undefined,
): Promise<ServerNow | "gone" | undefined> {
  const cloud = createCloud[wanted.provider]({ token: wanted.token, endpoint: config.apiEndpoint });
  const id = knownId ?? wanted.importId;
  try {
    const known = id === undefined ? undefined : await cloud.readServer(id);
    if (known) return known;
    const { servers } = await cloud.readInventory({ stack: pulumi.getStack(), pillar: config.pillar.name }, undefined);
    return servers.length > 1 ? undefined : (servers[0] ?? "gone");
  } catch {
    return undefined;
  }
}
