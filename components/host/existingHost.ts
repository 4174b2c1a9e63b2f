import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import type { ExistingHostConfig } from "../../core/config/hostSchema";
import { computeFingerprint } from "../../core/ssh/publicKey";
import type { RetirementGuard } from "../../providers/retirementGuard";
import type { LastRun } from "../lastRun";
import type { HostAccess } from "../remote";
import { createGuard } from "../retirement/guard";
import { createFirstContact } from "./firstContact";
import type { Host, RegisteredHost } from "./host";
import { createHostArgs, type HostArgs } from "./hostArgs";

/** Without a host key, the key that the host shows at first contact is stored. */
type ExistingHostArgs = HostArgs & Pick<ExistingHostConfig, "address" | "hostKey">;

/** A host that already exists: the first contact with it, and the guard against its removal from the stack. */
class ExistingHost extends pulumi.ComponentResource implements Host {
  public readonly access: HostAccess;
  public readonly fingerprint: pulumi.Input<string>;
  public readonly ready: readonly pulumi.Resource[];
  public readonly guard: RetirementGuard;

  constructor(name: string, args: ExistingHostArgs) {
    super("pillar-host:host:ExistingHost", name);
    const { address, hostKey, login, contact: when, retirement: settings, rpc } = args;
    const place = { address, hostKey };
    const contact = createFirstContact({ place, login, contact: when }, this);
    this.access = { ...login, address, hostKey: hostKey ?? contact.pinned };
    this.fingerprint = hostKey === undefined ? contact.fingerprint : computeFingerprint(hostKey);
    const host = { access: this.access, ready: [contact] };
    this.guard = createGuard("host-guard", { host, settings, rpc, isLast: false }, this);
    this.ready = [this.guard];
    this.registerOutputs({ address, fingerprint: this.fingerprint });
  }
}

export async function registerExistingHost(
  config: StackConfig,
  { address, hostKey }: ExistingHostConfig,
  last: LastRun,
): Promise<RegisteredHost> {
  const host = new ExistingHost("host", { ...(await createHostArgs(config, last)), address, hostKey });
  return { host, shown: { address, fingerprint: host.fingerprint } };
}
