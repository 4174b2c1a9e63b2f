import type { StackConfig } from "../../core/config/config.ts";
import type { ExistingHostConfig } from "../../core/config/hostSchema.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { computeFingerprint } from "../../core/ssh/publicKey.ts";
import { loadOptional } from "../../core/util/loadOptional.ts";
import type { NodeHostReader } from "../node/nodeReading.ts";
import { createFirstContact } from "./firstContact.ts";
import type { RegisteredHost } from "./host.ts";
import { createHostArgs, HostComponent } from "./hostComponent.ts";
import { addSetUp } from "./setUp.ts";

export async function registerHost(config: StackConfig, last: LastRun, look: NodeHostReader): Promise<RegisteredHost> {
  const { host } = config;
  if (host.provider === "existing") return registerExistingHost(config, host, last, look);
  // Loaded on demand, because the clouds' libraries are large.
  const { registerCloudHost } = await loadOptional(import("./registerCloudHost.ts"));
  return registerCloudHost({ ...config, host }, last, look);
}

/** Registers a host that already exists. Without a host key, the key that it shows at first contact is stored. */
export async function registerExistingHost(
  config: StackConfig,
  { address, hostKey }: ExistingHostConfig,
  last: LastRun,
  look?: NodeHostReader,
): Promise<RegisteredHost> {
  const args = createHostArgs(config, last, look);
  const component = new HostComponent("ExistingHost");
  const contact = createFirstContact({ address, hostKey }, args, [], component);
  const login = { ...args.login, address, hostKey: hostKey ?? contact.pinned };
  const access = addSetUp(args.setUp, login, contact, component);
  const fingerprint = hostKey === undefined ? contact.fingerprint : computeFingerprint(hostKey);
  const host = component.guard({ access, ready: [contact], fingerprint }, args);
  return { host, shown: { address, fingerprint } };
}
