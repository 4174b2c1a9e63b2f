import * as digitalocean from "@pulumi/digitalocean";
import * as pulumi from "@pulumi/pulumi";
import { formatResourceName } from "../../core/cloud/cloud";
import { createDigitaloceanTag, formatSlug } from "../../core/cloud/digitalocean";
import { anywhere } from "../../core/cloud/firewall";
import type { CloudParts, CloudRun } from "./cloudParts";

/** Returns DigitalOcean's resources. `around`: options of the plugin's provider resource, on which all depend. */
export function createDigitaloceanParts({ config, plan }: CloudRun, around: pulumi.ResourceOptions): CloudParts {
  // The SDK does not mark the token as secret.
  const args = { token: pulumi.secret(config.host.token), apiEndpoint: config.apiEndpoint };
  const provider = new digitalocean.Provider("digitalocean", args, around);
  const name = formatResourceName(config);
  const tagName = createDigitaloceanTag(config);
  return {
    fixedInputs: ["size", "region", "image", "userData", "sshKeys"],
    sshKey: (publicKey, options) =>
      // Ignores a changed key: DigitalOcean uses it only to create a Droplet.
      new digitalocean.SshKey("ssh-key", { name, publicKey }, { ...options, provider, ignoreChanges: ["publicKey"] }),
    firewall: (openings, options) => {
      // The firewall finds its Droplet by the tag, so it can exist before the Droplet.
      const tag = new digitalocean.Tag(
        "tag",
        { name: tagName },
        { parent: options.parent, provider, import: plan.found.tag },
      );
      const inboundRules = openings.map(({ protocol, port, sources }) => ({
        protocol,
        portRange: String(port),
        sourceAddresses: [...sources],
      }));
      const outboundRules = [
        { protocol: "tcp", portRange: "all", destinationAddresses: anywhere },
        { protocol: "udp", portRange: "all", destinationAddresses: anywhere },
        { protocol: "icmp", destinationAddresses: anywhere },
      ];
      const rules = { name, tags: [tag.name], inboundRules, outboundRules };
      return new digitalocean.Firewall("firewall", rules, { ...options, provider });
    },
    server: (id, { plan: size, location: region, image, firewall: _, ...server }, options) =>
      new digitalocean.Droplet(
        id,
        {
          ...server,
          size,
          region,
          image: formatSlug(image),
          tags: [tagName],
          // Without a policy, backups would be daily and cost more than the preview said.
          backupPolicy: server.backups ? { plan: "weekly", weekday: "SUN", hour: 4 } : undefined,
        },
        { ...options, provider },
      ),
  };
}
