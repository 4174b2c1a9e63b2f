import type * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config.ts";
import type { RetirementGuard } from "../../providers/retirementGuard.ts";
import type { HostAccess } from "../login.ts";
import type { HostInputs } from "../run.ts";

/** A machine as its stack's configuration names it, and the resources that must exist before anything connects to it. */
export interface ReachableHost {
  readonly config: StackConfig;
  readonly access: HostAccess;
  readonly ready: readonly pulumi.Input<pulumi.Resource>[];
  /** `SHA256:…` of the host key, to compare with the provider's console. */
  readonly fingerprint: pulumi.Input<string>;
  /** The id of the server at a cloud provider. */
  readonly serverId?: pulumi.Output<string>;
  /** Resolves to true if this state ordered the server. An adopted or older server may belong to anybody. */
  readonly isOrdered?: pulumi.Output<boolean>;
  /** When this state drew the number of the server's order; ISO 8601. Resolves to undefined if it is another's. */
  readonly orderedAt?: pulumi.Output<string | undefined> | undefined;
}

/** A machine on which procedure A can begin, with the guard against its deletion. */
export interface Host extends ReachableHost {
  /** The first guard: registered before any work on the host, and deleted after all of it. */
  readonly guard: RetirementGuard;
}

export interface RegisteredHost {
  /** Absent if this run does nothing on the host. */
  readonly host?: Host;
  readonly shown: HostInputs;
}
