import type { Network } from "../chain/elections.ts";
import type { NodeTarget } from "../chain/node.ts";
import type { Block } from "../chain/sameChain.ts";
import type { CloudServer } from "../cloud/power.ts";
import type { HostPaths } from "../host/hostPaths.ts";
import type { HostLogin } from "../ssh/root.ts";
import type { ChainSources } from "../sync/compareReferences.ts";

/** A retired host or its successor. Secret: holds logins. */
export type HostRef = Readonly<{ host: HostLogin; places: HostPaths; node: NodeTarget }>;

/** Names, addresses and logins (secret), no conclusions: a guard asks host and chain again. */
export interface RetirementInputs extends HostRef, ChainSources {
  readonly stack: string;
  readonly pillar: string;
  readonly lifecycle: "active" | "adopted" | "retiring";
  /** Producer address of this host's node in an earlier run. */
  readonly knownProducer?: string | undefined;
  /** Momentum recorded when this host was synced: a node that lacks it is on another chain, or lies. */
  readonly recorded?: Block | undefined;
  readonly server?: CloudServer | undefined;
  /** True if this stack ordered the server: nobody used it before. */
  readonly isOwnServer: boolean;
  /** ISO 8601: when this stack drew the number of the server's order. */
  readonly orderedAt?: string | undefined;
  readonly successor?: HostRef | undefined;
  readonly network: Network;
  /** Milliseconds of a reward epoch. */
  readonly epoch: number;
  /** Paths relative to the project. */
  readonly backup: { readonly directory: string; readonly identityFile?: string | undefined };
  /** Script library (core/steps/libraries.ts). */
  readonly library: string;
}
