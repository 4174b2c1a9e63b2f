import type * as pulumi from "@pulumi/pulumi";
import type { CloudServer } from "../../core/cloud/power";
import type { HostAccess } from "../remote";

/** A machine that procedure A can begin on, wherever it comes from. */
export interface Host {
  readonly access: HostAccess;
  /** `SHA256:…` of the host key, to compare with the provider's console. */
  readonly fingerprint: pulumi.Input<string>;
  /** What must exist before anything connects. */
  readonly ready: pulumi.Resource[];
  /** At a cloud provider: the server. Holds the token: secret. */
  readonly server?: pulumi.Output<CloudServer>;
  /** There: this state ordered it. One that was taken over, or was there before, may be anybody's. */
  readonly isOrdered?: pulumi.Output<boolean>;
}

/** What a stack is shown of its host. */
export type HostShown = Readonly<Record<string, pulumi.Input<string | number> | undefined>>;
