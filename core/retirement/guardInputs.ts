import type { Network } from "../chain/elections";
import type { NodeTarget } from "../chain/node";
import type { CloudServer } from "../cloud/power";
import type { OrchestratorPaths } from "../orchestrator/hosts/moveInputs";
import type { OrchestratorHost } from "../ssh/root";
import type { ChainSources } from "../sync/chainSources";

/** A momentum recorded when the host was synced: an RPC that does not know it is of another chain, or lies. */
export interface RecordedMomentum {
  readonly height: number;
  readonly hash: string;
}

/** Paths and ports of node and orchestrator on a host. */
export interface HostPaths {
  /** The node's service, data directory and RPC port. */
  readonly service: string;
  readonly dataDir: string;
  readonly rpcPort: number;
  readonly signer: OrchestratorPaths & { readonly rpcPort: number };
}

/** A host that is retired, or its successor: its login, its paths, and the way to its node. Secret: holds logins. */
export interface HostRef {
  readonly host: OrchestratorHost;
  readonly places: HostPaths;
  readonly node: NodeTarget;
}

/**
 * Inputs of guards and shutdown. They hold names, addresses and connections but no conclusions, because host and chain
 * are asked again. Secret: holds logins.
 */
export interface RetirementInputs extends HostRef, ChainSources {
  readonly stack: string;
  readonly pillar: string;
  readonly lifecycle: "active" | "adopted" | "retiring";
  /** The producer address that this host's node had in an earlier run. */
  readonly knownProducer?: string | undefined;
  readonly recorded?: RecordedMomentum | undefined;
  /** Facts from state and event log when these inputs were written: either may have been lost since. */
  readonly remembered?:
    | { readonly isReached?: true; readonly recorded?: RecordedMomentum; readonly produced?: "seen" }
    | undefined;
  readonly server?: CloudServer | undefined;
  /** True if this stack ordered the server, so nobody was on it before. */
  readonly isOwnServer: boolean;
  readonly successor?: HostRef | undefined;
  readonly network: Network;
  /** Length of a reward epoch, in milliseconds. */
  readonly epoch: number;
  /** Paths as configured, relative to the project. */
  readonly backup: { readonly directory: string; readonly identityFile?: string | undefined };
  /** Fate of an existing host once it may go. */
  readonly afterwards: "leave" | "poweroff";
  readonly keysAside: boolean;
  /** Script library (core/steps/libraries.ts). */
  readonly library: string;
}

/** Returns the paths as variables of the library's functions. */
export function pathVariables({ service, dataDir, rpcPort, signer }: HostPaths) {
  return {
    service,
    data_dir: dataDir,
    rpc_port: rpcPort,
    signer_service: signer.service,
    signer_directory: signer.directory,
    signer_executable: signer.executable,
    signer_rpc_port: signer.rpcPort,
  };
}
