import type { StackConfig } from "../../core/config/config";
import type { LastRun } from "../lastRun";
import { registerExistingHost } from "./existing";
import type { FoundHost } from "./host";

/** Registers the stack's host: an existing server, or one of a cloud provider. */
export async function registerHost(config: StackConfig, last: LastRun): Promise<FoundHost> {
  if (config.host.provider === "existing") return registerExistingHost(config, config.host, last);
  // Loaded on demand, because the clouds' libraries are large.
  const { registerCloudHost: hostFromCloud } = await import("./hostFromCloud");
  return hostFromCloud(config, config.host, last);
}
