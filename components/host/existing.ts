import { FirstContact } from "../../providers/firstContact";
import { fingerprintOf } from "../../providers/rpc/hostKey";
import type { StackConfig } from "../config";
import { loginOf } from "../login";
import type { Host } from "./host";

/** A host that is there already: its key is the configured one, or recorded on first contact. */
export function existingHost(config: StackConfig): Host {
  const { address, hostKey } = config.host;
  const login = loginOf(config);
  if (hostKey !== undefined)
    return { access: { ...login, address, hostKey }, fingerprint: fingerprintOf(hostKey), ready: [] };
  const contact = new FirstContact("host-key", { address, port: config.ssh.port });
  return {
    access: { ...login, address, hostKey: contact.hostKey },
    fingerprint: contact.fingerprint,
    ready: [contact],
  };
}
