import * as hcloud from "@pulumi/hcloud";
import * as pulumi from "@pulumi/pulumi";
import type { CloudInventory } from "../../core/cloud/cloud";
import { createHetznerLabels } from "../../core/cloud/hetzner";
import { type CloudParts, everything, listIgnoredInputs, type RegisteredServer, type ServerArgs } from "./cloudParts";

/** Inputs, by the plugin's names, whose changes must not reach a live server. */
const ignorableInputs = {
  plan: "serverType",
  location: "location",
  image: "image",
  userData: "userData",
  sshKeys: "sshKeys",
};

export function createHetznerParts(
  token: string,
  endpoint: string | undefined,
  _found: CloudInventory,
  around: pulumi.ResourceOptions = {},
): CloudParts {
  const args = { token: pulumi.secret(token), endpoint };
  const provider = new hcloud.Provider("hcloud", args, around);
  return {
    sshKey: (name, { label, owner, publicKey }, options) =>
      new hcloud.SshKey(
        name,
        { name: label, publicKey, labels: createHetznerLabels(owner) },
        // Ignores a changed key: Hetzner uses it only to create a server.
        { ...options, provider, ignoreChanges: ["publicKey"] },
      ),
    firewall: (name, { label, owner, openings }, options) =>
      new hcloud.Firewall(
        name,
        {
          name: label,
          labels: createHetznerLabels(owner),
          rules: openings.map(({ protocol, port, sources }) => ({
            direction: "in",
            protocol,
            port: String(port),
            sourceIps: [...sources],
          })),
        },
        { ...options, provider },
      ),
    server: (name, args, options) => {
      const server = new hcloud.Server(name, createServerArgs(args), {
        ...options,
        provider,
        ignoreChanges: listIgnoredInputs(ignorableInputs, options.kept),
      });
      return describeServer(server);
    },
    adopted: (name, { server }, options) =>
      describeServer(
        new hcloud.Server(
          name,
          { name: server.name, serverType: server.plan, location: server.location },
          { ...options, provider, import: server.id, ignoreChanges: [everything] },
        ),
      ),
  };
}

function createServerArgs(args: ServerArgs): hcloud.ServerArgs {
  return {
    name: args.label,
    labels: createHetznerLabels(args.owner),
    serverType: args.plan,
    location: args.location,
    image: args.image,
    sshKeys: args.sshKeys,
    firewallIds: [pulumi.output(args.firewall).apply(Number)],
    userData: args.userData,
    backups: args.backups,
    // Hetzner requires both to be equal. core/retirement/releaseOnDestroy.ts turns both off.
    deleteProtection: true,
    rebuildProtection: true,
  };
}

function describeServer(server: hcloud.Server): RegisteredServer {
  return { resource: server, id: server.id, address: server.ipv4Address };
}
