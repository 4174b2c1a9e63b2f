import type { Network } from "../chain/elections";
import type { NodeTarget } from "../chain/node";
import type { CloudServer } from "../cloud/power";
import type { OrchestratorHost } from "../ssh/root";
import type { ChainSources } from "../sync/chainSources";
import type { Recorded } from "./readChain";
import type { HostPlaces } from "./readHost";

/** A host that produces after another one. Holds logins: secret. */
export interface Successor {
  readonly host: OrchestratorHost;
  readonly places: HostPlaces;
  readonly node: NodeTarget;
}

/**
 * What a guard carries: names, addresses and connections, never conclusions; it asks host and chain anew. Holds logins:
 * secret.
 */
export interface RetirementInputs extends ChainSources {
  readonly stack: string;
  readonly pillar: string;
  readonly lifecycle: "active" | "adopted" | "retiring";
  readonly host: OrchestratorHost;
  readonly places: HostPlaces;
  readonly node: NodeTarget;
  /** The address that this host's node was seen with before. */
  readonly knownProducer?: string | undefined;
  readonly recorded?: Recorded | undefined;
  /** What the state knew of the host, and the record, when this was written: either may be lost since. */
  readonly remembered?:
    | { readonly isReached?: true; readonly recorded?: Recorded; readonly produced?: "seen" }
    | undefined;
  readonly server?: CloudServer | undefined;
  /** The server was ordered by this stack: nobody was on it before. */
  readonly isOwnServer: boolean;
  readonly successor?: Successor | undefined;
  /** By which it is told whether the successor is overdue. */
  readonly network: Network;
  /** An epoch of rewards, in milliseconds. */
  readonly epoch: number;
  /** As configured: relative to the project. */
  readonly backup: { readonly directory: string; readonly identityFile?: string | undefined };
  /** What becomes of an existing host. */
  readonly afterwards: "leave" | "poweroff";
  readonly keysAside: boolean;
  /** Of core/steps/libraries.ts. */
  readonly library: string;
}

/** Whether somebody may have been on the host: not on a server that this stack ordered, and that never let it in. */
export function isReached({ isOwnServer }: RetirementInputs, memory: GuardMemory): boolean {
  return memory.isReached || !isOwnServer;
}

/** What a guard remembers of its beginning. */
export interface GuardMemory {
  /** ISO 8601. */
  readonly createdAt: string;
  /** This stack has logged in to the host: it was made while its stack was not retiring, or the record tells so. */
  readonly isReached: boolean;
  /** Its stack stood the node up itself. */
  readonly isOwnWork: boolean;
  /** True if momentums carried its producer address; if unknown, the chain is asked. */
  readonly produced?: "seen" | "unknown" | undefined;
}
