import { createHash, randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { FirstContact } from "../../providers/firstContact";
import { fingerprintOf } from "../../providers/rpc/publicKey";
import type { StackConfig } from "../config";
import { loginOf } from "../login";
import type { Host } from "./host";
import type { ExistingHostConfig } from "./hostSchema";

/**
 * A host that is there already: its key is the configured one, or recorded on first contact.
 *
 * @param finished whether a run of this stack went to the end before: until then every run looks at the host first,
 *   later only one that has something else to do there
 */
export function existingHost(
  config: StackConfig,
  { address, hostKey }: ExistingHostConfig,
  finished: pulumi.Input<boolean> = false,
): Host {
  const { ssh, ...rest } = config;
  const { sudoPassword: _, port, ...login } = ssh;
  const work = createHash("sha256").update(JSON.stringify(rest)).digest("hex").slice(0, 12);
  const contact = new FirstContact("first-contact", {
    address,
    port,
    ...(hostKey === undefined ? {} : { hostKey }),
    login,
    work,
    run: pulumi.output(finished).apply((done) => (done ? undefined : randomUUID())),
  });
  return {
    access: { ...loginOf(config), address, hostKey: hostKey ?? contact.pinned },
    fingerprint: hostKey === undefined ? contact.fingerprint : fingerprintOf(hostKey),
    ready: [contact],
  };
}
