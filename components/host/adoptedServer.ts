import * as pulumi from "@pulumi/pulumi";
import type { CloudServer } from "../../core/cloud/power";
import type { RetirementGuard } from "../../providers/retirementGuard";
import type { HostAccess } from "../remote";
import { createGuard } from "../retirement/guard";
import { type CloudServerArgs, createGuardedServer, type KeptPlan } from "./cloudParts";
import { createFirstContact } from "./firstContact";
import type { Host } from "./host";

/** A server that somebody else made. It is adopted only to be retired later; the adoption changes nothing. */
export class AdoptedServer extends pulumi.ComponentResource implements Host {
  public readonly access: HostAccess;
  public readonly fingerprint: pulumi.Output<string>;
  public readonly ready: readonly pulumi.Resource[];
  public readonly server: pulumi.Output<CloudServer>;
  public readonly guard: RetirementGuard;
  public readonly serverId: pulumi.Output<string>;
  public readonly address: pulumi.Output<string>;

  constructor(name: string, args: CloudServerArgs & { readonly plan: KeptPlan }) {
    super("pillar-host:host:AdoptedServer", name);
    const { plan, wanted, parts, isProtected: protect, login, contact: when, retirement: settings, rpc } = args;
    const { hostKey } = wanted;
    const { id, address, resource } = parts().adopted("adopted-server", plan, { parent: this, protect });
    const place = { address, hostKey };
    const contact = createFirstContact({ place, login, contact: when, after: [resource] }, this);
    this.access = { ...login, address, hostKey: contact.pinned };
    this.server = createGuardedServer(args.server, id);
    const host = { access: this.access, ready: [contact], server: this.server };
    this.guard = createGuard("host-guard", { host, settings, rpc, isLast: false }, this);
    this.ready = [this.guard];
    this.fingerprint = contact.fingerprint;
    this.serverId = id;
    this.address = address;
    this.registerOutputs({ serverId: id, address, fingerprint: this.fingerprint });
  }
}
