import type { NodeTarget } from "../chain/node";
import type { LogRef } from "../eventLog/eventLog";

/** The nodes besides a host's own that are asked about the chain, and how far their answers may differ. */
export interface ChainSources {
  /** RPC URLs of independent nodes. */
  readonly references: readonly string[];
  /** Momentums by which a height may differ from the references' median. */
  readonly tolerance: number;
  /** True if no witness of the chain is needed: the operator accepted the risk, or no decision depends on the chain. */
  readonly isChainUnverified?: boolean | undefined;
}

/** All sources that can confirm which chain a node is on. */
export interface WitnessSources extends ChainSources {
  /** The old host's node, asked through ssh. Secret, because it holds a login. */
  readonly witnessHost?: NodeTarget | undefined;
  /** The event log that may hold a momentum of the right chain. */
  readonly record?: LogRef | undefined;
}
