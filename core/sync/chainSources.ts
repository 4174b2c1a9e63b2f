import type { NodeTarget } from "../chain/node";
import type { LogRef } from "../eventLog/eventLog";

export interface ChainSources {
  readonly references: readonly string[];
  /** Momentums that a height may be apart from the references' median. */
  readonly tolerance: number;
  /** True if no witness of the chain is needed: the operator accepted the risk, or no decision depends on the chain. */
  readonly isChainUnverified?: boolean | undefined;
}

export interface WitnessSources extends ChainSources {
  /** The old host's node. Secret, because it holds a login. */
  readonly witnessHost?: NodeTarget | undefined;
  /** The event log that may hold a momentum of the right chain. */
  readonly record?: LogRef | undefined;
}
