import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { formatResourceName } from "../../core/cloud/cloud.ts";
import type { KeepDecision } from "../../core/cloud/decideServer.ts";
import type { Opening } from "../../core/cloud/firewall.ts";
import { computeFingerprint } from "../../core/ssh/publicKey.ts";
import { cloudInit } from "../../core/steps/nodeSteps.ts";
import { HostKey } from "../../providers/hostKey.ts";
import { runStep } from "../remote.ts";
import { type CloudRun, createParts } from "./cloudParts.ts";
import { checkAddress, registerServer } from "./cloudServer.ts";
import { createFirstContact } from "./firstContact.ts";
import { type HostArgs, HostComponent } from "./hostComponent.ts";
import { addSetUp } from "./setUp.ts";

interface CloudHostArgs extends HostArgs {
  readonly openings: readonly Opening[];
  /** Errors for an existing server that this state did not order. Empty if no server exists yet. */
  readonly strangers: { readonly stranger?: string | undefined; readonly otherOrder?: string | undefined };
}

/** Registers a host at a cloud provider, with its keys, firewall, server, first contact and guard. */
export function createCloudHost(run: CloudRun, args: CloudHostArgs) {
  const { config, orders, plan } = run;
  const isActive = config.lifecycle === "active";
  const parent = new HostComponent("CloudHost");
  const configuredKey = config.host.hostKey;
  const seen = plan.kind === "keep" ? (plan.server.order ?? "") : undefined;
  const keyInputs = { ...args.strangers, seen, run: plan.kind === "make" ? randomUUID() : undefined };
  const key = configuredKey === undefined ? new HostKey("host-key", keyInputs, { parent }) : undefined;
  // The host key is created first, because it fails for a foreign server before anything at the provider changes.
  const parts = createParts[config.host.provider](run, key ? { dependsOn: [key] } : {});
  const { server: made, order } = registerServer({ run, openings: args.openings, seen }, parts, key, parent);
  const address = checkAddress(run, made, order);
  const hostKey = key?.publicKey ?? pulumi.output(configuredKey ?? "");
  const { isOrdered, orderedAt } = order;
  const place = { address, hostKey, server: createOwnServer(run, made.id, isOrdered) };
  const contact = createFirstContact(place, args, [made], parent);
  const access = addSetUp(args.setUp, { ...args.login, address, hostKey }, contact, parent);
  // The first contact logged in, so forget the order: no later run replaces this server as a failed order.
  const isKept = isActive && !pulumi.runtime.isDryRun();
  const settled = contact.pinned.apply(() => (isKept ? orders.write({ attempts: [] }) : undefined));
  const booted = isActive
    ? runStep("host-cloud-init", cloudInit(), access, { parent, dependsOn: [contact] }).proved
    : contact;
  // Waits until the record of orders is written, because a run does not end before its outputs have resolved.
  const fingerprint = pulumi.all([hostKey, settled]).apply(([shown]) => computeFingerprint(shown));
  const serverId = made.id;
  return { ...parent.guard({ access, ready: [booted], fingerprint, serverId, isOrdered, orderedAt }, args), serverId };
}

/** Registers a server that somebody else made. It is adopted only to be retired later; the adoption changes nothing. */
export function createAdoptedHost(run: CloudRun<KeepDecision>, args: HostArgs) {
  const { config, plan } = run;
  const { id, name, plan: size, location, image = config.host.image } = plan.server;
  const parent = new HostComponent("AdoptedServer");
  const made = createParts[config.host.provider](run, {}).server(
    "adopted-server",
    { name, plan: size, location, image, sshKeys: [], backups: false },
    { parent, protect: config.lifecycle !== "retiring", import: id, ignoreChanges: ["*"] },
  );
  const place = { address: made.ipv4Address, hostKey: config.host.hostKey };
  const contact = createFirstContact(place, args, [made], parent);
  const access = { ...args.login, address: made.ipv4Address, hostKey: contact.pinned };
  const { fingerprint } = contact;
  const serverId = made.id;
  return { ...parent.guard({ access, ready: [contact], fingerprint, serverId }, args), serverId };
}

/** Returns what the first contact needs of an own server: it waits for the server's boot. */
function createOwnServer({ config, cloud }: CloudRun, id: pulumi.Output<string>, isOrdered: pulumi.Output<boolean>) {
  const { sshFrom, startTimeout } = config.host;
  return pulumi.all([id, isOrdered]).apply(([serverId, ordered]) => ({
    provider: cloud.provider,
    id: serverId,
    name: formatResourceName(config),
    console: cloud.describeConsole(serverId),
    sshFrom,
    startTimeout,
    isOrdered: ordered,
  }));
}
