import type { StackConfig } from "../../core/config/config";
import type { LastRun } from "../lastRun";
import { registerExistingHost } from "./existingHost";
import type { RegisteredHost } from "./host";

/** Registers the stack's host: an existing server, or one of a cloud provider. */
export async function registerHost(config: StackConfig, last: LastRun): Promise<RegisteredHost> {
  if (config.host.provider === "existing") return registerExistingHost(config, config.host, last);
  // Loaded on demand, because the clouds' libraries are large.
  const { registerCloudHost } = await import("./registerCloudHost");
  return registerCloudHost(config, config.host, last);
}
