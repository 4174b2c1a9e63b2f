import * as hcloud from "@pulumi/hcloud";
import * as pulumi from "@pulumi/pulumi";
import { formatResourceName } from "../../core/cloud/cloud";
import { createHetznerLabels } from "../../core/cloud/hetzner";
import type { CloudParts, CloudRun } from "./cloudParts";

/** Returns Hetzner's resources. `around`: options of the plugin's provider resource, on which all depend. */
export function createHetznerParts({ config }: CloudRun, around: pulumi.ResourceOptions): CloudParts {
  const args = { token: pulumi.secret(config.host.token), endpoint: config.apiEndpoint };
  const provider = new hcloud.Provider("hcloud", args, around);
  const own = { name: formatResourceName(config), labels: createHetznerLabels(config) };
  return {
    fixedInputs: ["serverType", "location", "image", "userData", "sshKeys"],
    sshKey: (publicKey, options) =>
      // Ignores a changed key: Hetzner uses it only to create a server.
      new hcloud.SshKey("ssh-key", { ...own, publicKey }, { ...options, provider, ignoreChanges: ["publicKey"] }),
    firewall: (openings, options) => {
      const rules = openings.map(({ protocol, port, sources }) => ({
        direction: "in",
        protocol,
        port: String(port),
        sourceIps: [...sources],
      }));
      return new hcloud.Firewall("firewall", { ...own, rules }, { ...options, provider });
    },
    server: (id, { plan, firewall, ...server }, options) =>
      new hcloud.Server(
        id,
        {
          ...server,
          labels: own.labels,
          serverType: plan,
          firewallIds: firewall === undefined ? undefined : [pulumi.output(firewall).apply(Number)],
          // Hetzner requires both to be equal. core/retirement/releaseOnDestroy.ts turns both off.
          deleteProtection: true,
          rebuildProtection: true,
        },
        { ...options, provider },
      ),
  };
}
