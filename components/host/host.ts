import type * as pulumi from "@pulumi/pulumi";
import type { NodeRpc } from "../../core/chain/configuredNode";
import type { CloudServer } from "../../core/cloud/power";
import type { RetirementSettings } from "../../core/retirement/retirementInputs";
import type { RetirementGuard } from "../../providers/retirementGuard";
import type { HostAccess } from "../remote";
import type { ContactArgs } from "./firstLook";

/** A machine that is reached, and what has to be before anything else connects to it. */
export interface HostGround {
  readonly access: HostAccess;
  readonly ready: readonly pulumi.Input<pulumi.Resource>[];
  /** The server at a cloud provider. Holds the token: secret. */
  readonly server?: pulumi.Output<CloudServer>;
  /** There: this state ordered it. One that was taken over, or was there before, may be anybody's. */
  readonly isOrdered?: pulumi.Output<boolean>;
}

/** A machine that procedure A can begin on, wherever it comes from, with the guard before its deletion. */
export interface Host extends HostGround {
  /** `SHA256:…` of the host key, to compare with the provider's console. */
  readonly fingerprint: pulumi.Input<string>;
  /** The guard that was there before anything was done on the host; it is deleted last. */
  readonly guard: RetirementGuard;
}

/** Arguments of a host, wherever it comes from. */
export interface HostArgs {
  readonly login: Omit<HostAccess, "address" | "hostKey">;
  /** When the host is looked at before the first step. */
  readonly contact: ContactArgs;
  /** Inputs of the host's guard. Times in milliseconds. */
  readonly retirement: RetirementSettings;
  readonly rpc: NodeRpc;
}

/** The output `host`. */
export type HostShown = Readonly<Record<string, pulumi.Input<string | number> | undefined>>;

/** A stack's host, as a run found it. */
export interface FoundHost {
  /** Absent where nothing is to be done on it, now or at all. */
  readonly host?: Host;
  readonly shown: HostShown;
}
