import type { NodeTarget } from "../chain/node";
import type { LogRef } from "../eventLog/eventLog";

/** The nodes besides a host's own that are asked about the chain, and how far their answers may differ. */
export interface ChainSources {
  /** URLs of independent nodes' RPC. */
  readonly references: readonly string[];
  /** Momentums by which a height may differ from the references' median. */
  readonly tolerance: number;
  /** True if no witness of the chain is needed: the operator took that risk, or nothing is decided by the chain. */
  readonly isChainUnverified?: boolean | undefined;
}

/** All that can tell which chain a node is on. */
export interface WitnessSources extends ChainSources {
  /** The old host's node, asked through ssh. Holds a login: secret. */
  readonly witnessHost?: NodeTarget | undefined;
  /** The event log that may hold a momentum of the right chain. */
  readonly record?: LogRef | undefined;
}
