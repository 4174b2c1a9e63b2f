import type { StackConfig } from "../../core/config/config";
import type { ExistingHostConfig } from "../../core/config/hostSchema";
import { fingerprintOf } from "../../core/ssh/publicKey";
import type { LastRun } from "../lastRun";
import { loginOf } from "../login";
import { firstLook } from "./firstLook";
import type { Host } from "./host";

/** A host that is there already: its key is the configured one, or recorded on first contact. */
export function existingHost(
  config: StackConfig,
  { address, hostKey }: ExistingHostConfig,
  { finished }: LastRun,
): Host {
  const contact = firstLook(config, { address, ...(hostKey === undefined ? {} : { hostKey }) }, finished);
  return {
    access: { ...loginOf(config), address, hostKey: hostKey ?? contact.pinned },
    fingerprint: hostKey === undefined ? contact.fingerprint : fingerprintOf(hostKey),
    ready: [contact],
  };
}
