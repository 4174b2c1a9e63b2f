import * as digitalocean from "@pulumi/digitalocean";
import * as pulumi from "@pulumi/pulumi";
import type { CloudInventory } from "../../core/cloud/cloud";
import { createDigitaloceanTag, formatSlug } from "../../core/cloud/digitalocean";
import { type CloudParts, everything, listIgnoredInputs, type RegisteredServer } from "./cloudParts";

/** Inputs, by the plugin's names, whose changes must not reach a live Droplet. */
const ignorableInputs = { plan: "size", location: "region", image: "image", userData: "userData", sshKeys: "sshKeys" };

const anywhere = ["0.0.0.0/0", "::/0"];

export function createDigitaloceanParts(
  token: string,
  endpoint: string | undefined,
  found: CloudInventory,
  around: pulumi.ResourceOptions = {},
): CloudParts {
  // The SDK does not mark the token as secret.
  const args = { token: pulumi.secret(token), apiEndpoint: endpoint };
  const provider = new digitalocean.Provider("digitalocean", args, around);
  return {
    sshKey: (name, { label, publicKey }, options) =>
      new digitalocean.SshKey(
        name,
        { name: label, publicKey },
        // Ignores a changed key: DigitalOcean uses it only to create a Droplet.
        { ...options, provider, ignoreChanges: ["publicKey"] },
      ),
    firewall: (name, args, options) => createFirewall(name, args, { ...options, provider }, found.tag),
    server: (name, args, { kept, ...options }) =>
      describeDroplet(
        new digitalocean.Droplet(
          name,
          {
            name: args.label,
            tags: [createDigitaloceanTag(args.owner)],
            size: args.plan,
            region: args.location,
            image: formatSlug(args.image),
            sshKeys: args.sshKeys,
            userData: args.userData,
            backups: args.backups,
            // Without a policy, backups would be daily and cost more than the preview said.
            backupPolicy: args.backups ? { plan: "weekly", weekday: "SUN", hour: 4 } : undefined,
          },
          { ...options, provider, ignoreChanges: listIgnoredInputs(ignorableInputs, kept) },
        ),
      ),
    adopted: (name, { server }, options) =>
      describeDroplet(
        new digitalocean.Droplet(
          name,
          { name: server.name, size: server.plan, region: server.location, image: formatSlug(server.image ?? "") },
          { ...options, provider, import: server.id, ignoreChanges: [everything] },
        ),
      ),
  };
}

function createFirewall(
  name: string,
  { label, owner, openings }: Parameters<CloudParts["firewall"]>[1],
  options: pulumi.CustomResourceOptions,
  foundTag: string | undefined,
): digitalocean.Firewall {
  // The firewall finds its Droplet by the tag, so it can exist before the Droplet.
  const tag = new digitalocean.Tag(
    "tag",
    { name: createDigitaloceanTag(owner) },
    { parent: options.parent, provider: options.provider, import: foundTag },
  );
  return new digitalocean.Firewall(
    name,
    {
      name: label,
      tags: [tag.name],
      inboundRules: openings.map(({ protocol, port, sources }) => ({
        protocol,
        portRange: String(port),
        sourceAddresses: [...sources],
      })),
      outboundRules: [
        { protocol: "tcp", portRange: "all", destinationAddresses: anywhere },
        { protocol: "udp", portRange: "all", destinationAddresses: anywhere },
        { protocol: "icmp", destinationAddresses: anywhere },
      ],
    },
    options,
  );
}

function describeDroplet(droplet: digitalocean.Droplet): RegisteredServer {
  return { resource: droplet, id: droplet.id, address: droplet.ipv4Address };
}
