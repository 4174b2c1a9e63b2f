import * as pulumi from "@pulumi/pulumi";
import { formatResourceName } from "../../core/cloud/cloud";
import type { CloudServer } from "../../core/cloud/power";
import type { OwnServer } from "../../core/ssh/ownServer";
import { computeFingerprint } from "../../core/ssh/publicKey";
import { readLoginKeyLibrary } from "../../core/steps/libraries";
import { cloudInit } from "../../core/steps/nodeSteps";
import { HostKey } from "../../providers/hostKey";
import { LoginKey } from "../../providers/loginKey";
import type { RetirementGuard } from "../../providers/retirementGuard";
import { createSshTarget, type HostAccess, runStep } from "../remote";
import { createGuard } from "../retirement/guard";
import { createGuardedServer } from "./cloudParts";
import { checkAddress, isOrderedHere, registerServer, type ServerRegistration } from "./cloudServer";
import { createFirstContact } from "./firstContact";
import type { Host } from "./host";

interface CloudHostArgs extends Omit<ServerRegistration, "parent" | "key" | "parts"> {
  /** Returns the provider's resources. `around`: options of the plugin's provider resource, on which all depend. */
  readonly parts: (around?: pulumi.ResourceOptions) => ServerRegistration["parts"];
  /** True if the node will be set up on the host, so that the run waits for the host's first boot. */
  readonly isActive: boolean;
  /** The host key of an existing server, as in authorized_keys. Without it, a new key is created. */
  readonly hostKey?: string;
  /** Error text for an existing server of which this state has no host key. Absent if no server exists yet. */
  readonly stranger?: string | undefined;
}

/** A host at a cloud provider, with its keys, firewall, server, first contact and guard. */
export class CloudHost extends pulumi.ComponentResource implements Host {
  public readonly access: HostAccess;
  public readonly fingerprint: pulumi.Output<string>;
  public readonly ready: readonly pulumi.Resource[];
  public readonly server: pulumi.Output<CloudServer>;
  public readonly isOrdered: pulumi.Output<boolean>;
  public readonly guard: RetirementGuard;
  public readonly serverId: pulumi.Output<string>;
  public readonly address: pulumi.Output<string>;

  constructor(name: string, args: CloudHostArgs) {
    super("pillar-host:host:CloudHost", name);
    const { orders, login, contact: when, retirement: settings, rpc, isActive } = args;
    const { stranger } = args;
    const key = args.hostKey === undefined ? new HostKey("host-key", { stranger }, { parent: this }) : undefined;
    // The host key is created first, because it fails for a foreign server before anything at the provider changes.
    const parts = args.parts(key ? { dependsOn: [key] } : {});
    const making: ServerRegistration = { ...args, parts, key, parent: this };
    const made = registerServer(making);
    const address = checkAddress(making, made);
    const hostKey = key?.publicKey ?? pulumi.output(args.hostKey ?? "");
    this.access = { ...login, address, hostKey };
    const keyed = createLoginKey(making, this.access, made);
    this.isOrdered = key && keyed ? keyed.isOrdered : pulumi.output(false);
    const server = ownServer(making, made.id, this.isOrdered);
    const contact = createFirstContact(
      { place: { address, hostKey, server }, login, contact: when, after: [...(keyed ? [keyed] : []), made.resource] },
      this,
    );
    // The first contact logged in, so forget the order: no later run replaces this server as a failed order.
    const isKept = isActive && !pulumi.runtime.isDryRun();
    const settled = contact.pinned.apply(() => (isKept ? orders.write({ attempts: [] }) : undefined));
    const booted = isActive
      ? runStep("host-cloud-init", cloudInit(), this.access, { parent: this, dependsOn: [contact] }).proved
      : contact;
    this.server = createGuardedServer(args.server, made.id);
    const host = { access: this.access, ready: [booted], server: this.server, isOrdered: this.isOrdered };
    this.guard = createGuard("host-guard", { host, settings, rpc, isLast: false }, this);
    this.ready = [this.guard];
    // Waits until the record of orders is written, because a run does not end before its outputs have resolved.
    this.fingerprint = pulumi.all([hostKey, settled]).apply(([shown]) => computeFingerprint(shown));
    this.serverId = made.id;
    this.address = address;
    this.registerOutputs({ serverId: made.id, address, fingerprint: this.fingerprint });
  }
}

function createLoginKey(
  making: ServerRegistration,
  access: HostAccess,
  made: { readonly id: pulumi.Output<string>; readonly resource: pulumi.Resource },
): LoginKey | undefined {
  const { publicKey, parent } = making;
  if (publicKey === undefined) return undefined;
  const isOrder = isOrderedHere(making);
  return new LoginKey(
    "login-key",
    { target: createSshTarget(access), publicKey, library: readLoginKeyLibrary(), serverId: made.id, isOrder },
    { parent, dependsOn: [made.resource] },
  );
}

/** Describes the server to the first contact, which waits for the server's boot. */
function ownServer(
  { cloud, owner, wanted }: ServerRegistration,
  id: pulumi.Output<string>,
  isOrdered: pulumi.Output<boolean>,
): pulumi.Output<OwnServer> {
  return pulumi.all([id, isOrdered]).apply(([serverId, ordered]) => ({
    provider: cloud.provider,
    id: serverId,
    name: formatResourceName(owner),
    console: cloud.describeConsole(serverId),
    sshFrom: wanted.sshFrom,
    startTimeout: wanted.startTimeout,
    isOrdered: ordered,
  }));
}
