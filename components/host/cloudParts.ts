import * as digitalocean from "@pulumi/digitalocean";
import * as hcloud from "@pulumi/hcloud";
import * as pulumi from "@pulumi/pulumi";
import { type Cloud, type CloudConfig, formatKeyName, formatResourceName } from "../../core/cloud/cloud.ts";
import type { ServerDecision } from "../../core/cloud/decideServer.ts";
import { createDigitaloceanTag, formatSlug, orderTagPrefix } from "../../core/cloud/digitalocean.ts";
import { anywhere, type Opening } from "../../core/cloud/firewall.ts";
import { createHetznerLabels, hetznerOrderLabel } from "../../core/cloud/hetzner.ts";
import type { OrderRecord, OrderRecords } from "../../core/cloud/orderRecord.ts";

/** A run's decision about its server at a cloud provider, and all that it was decided on. */
export interface CloudRun<Plan = Exclude<ServerDecision, { kind: "gone" }>> {
  readonly config: CloudConfig;
  readonly cloud: Cloud;
  readonly orders: OrderRecords;
  /** The record of orders, as read at the start of the run. */
  readonly record: OrderRecord;
  readonly plan: Plan;
}

interface ServerArgs {
  readonly name: string;
  readonly plan: string;
  readonly location: string;
  readonly image: string;
  /** Ids at the provider. */
  readonly sshKeys: pulumi.Input<string>[];
  readonly firewall?: pulumi.Input<string>;
  /** Secret. Absent for an existing server, which has its own user data. */
  readonly userData?: pulumi.Input<string> | undefined;
  readonly backups: boolean;
  /** The number of the order; absent for a server that is not ordered now. */
  readonly order?: pulumi.Output<string> | undefined;
}

type Options = pulumi.CustomResourceOptions;

export type CloudServerResource = pulumi.CustomResource & { readonly ipv4Address: pulumi.Output<string> };

export interface CloudParts {
  /** A server's inputs, by the plugin's names, whose changes must not reach a live one. `*` are all. */
  readonly fixedInputs: string[];
  sshKey(publicKey: string, options: Options): pulumi.CustomResource;
  firewall(openings: readonly Opening[], options: Options): pulumi.CustomResource;
  server(name: string, args: ServerArgs, options: Options): CloudServerResource;
}

/** Ignores a changed key on a live server: providers use it only to create one. An order needs the configured key. */
const keepKeyOf = ({ kind }: Exclude<ServerDecision, { kind: "gone" }>) =>
  kind === "keep" ? { ignoreChanges: ["name", "publicKey"] } : {};

export const createParts = { hetzner: createHetznerParts, digitalocean: createDigitaloceanParts };

/** Returns Hetzner's resources. `around`: options of the plugin's provider resource, on which all depend. */
function createHetznerParts({ config, plan }: CloudRun, around: pulumi.ResourceOptions): CloudParts {
  const args = { token: pulumi.secret(config.host.token), endpoint: config.apiEndpoint };
  const provider = new hcloud.Provider("hcloud", args, around);
  const own = { name: formatResourceName(config), labels: createHetznerLabels(config) };
  return {
    // Labels, too: without its number a server would count as a stranger.
    fixedInputs: ["serverType", "location", "image", "userData", "sshKeys", "labels"],
    sshKey: (publicKey, options) =>
      new hcloud.SshKey(
        "ssh-key",
        { ...own, name: formatKeyName(config, publicKey), publicKey },
        { ...options, provider, ...keepKeyOf(plan) },
      ),
    firewall: (openings, options) => {
      const rules = openings.map(({ protocol, port, sources }) => ({
        direction: "in",
        protocol,
        port: String(port),
        sourceIps: [...sources],
      }));
      return new hcloud.Firewall("firewall", { ...own, rules }, { ...options, provider });
    },
    server: (id, { plan: serverType, firewall, order, ...server }, options) =>
      new hcloud.Server(
        id,
        {
          ...server,
          labels: order ? { ...own.labels, [hetznerOrderLabel]: order } : own.labels,
          serverType,
          firewallIds: firewall === undefined ? undefined : [pulumi.output(firewall).apply(Number)],
          // Hetzner requires both to be equal. core/retirement/releaseOnDestroy.ts turns both off.
          deleteProtection: true,
          rebuildProtection: true,
        },
        { ...options, provider },
      ),
  };
}

/** Returns DigitalOcean's resources. `around`: options of the plugin's provider resource, on which all depend. */
function createDigitaloceanParts({ config, plan }: CloudRun, around: pulumi.ResourceOptions): CloudParts {
  // The SDK does not mark the token as secret.
  const args = { token: pulumi.secret(config.host.token), apiEndpoint: config.apiEndpoint };
  const provider = new digitalocean.Provider("digitalocean", args, around);
  const name = formatResourceName(config);
  const tagName = createDigitaloceanTag(config);
  return {
    fixedInputs: ["size", "region", "image", "userData", "sshKeys", "tags"],
    sshKey: (publicKey, options) =>
      new digitalocean.SshKey(
        "ssh-key",
        { name: formatKeyName(config, publicKey), publicKey },
        { ...options, provider, ...keepKeyOf(plan) },
      ),
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
    server: (id, { plan: size, location: region, image, firewall: _, order, ...server }, options) =>
      new digitalocean.Droplet(
        id,
        {
          ...server,
          size,
          region,
          image: formatSlug(image),
          tags: order ? [tagName, pulumi.interpolate`${orderTagPrefix}${order}`] : [tagName],
          // Without a policy, backups would be daily and cost more than the preview said.
          backupPolicy: server.backups ? { plan: "weekly", weekday: "SUN", hour: 4 } : undefined,
        },
        { ...options, provider },
      ),
  };
}
