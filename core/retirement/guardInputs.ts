import type { Network } from "../chain/elections";
import type { NodeTarget } from "../chain/node";
import type { CloudServer } from "../cloud/power";
import type { OrchestratorPaths } from "../orchestrator/hosts/moveInputs";
import type { OrchestratorHost } from "../ssh/root";
import type { ChainSources } from "../sync/chainSources";

/** Momentum of the synced host's chain: an RPC that lacks it is of another chain, or lies. */
export interface RecordedMomentum {
  readonly height: number;
  readonly hash: string;
}

export interface HostPaths {
  /** Paths and port of the node. */
  readonly service: string;
  readonly dataDir: string;
  readonly rpcPort: number;
  readonly signer: OrchestratorPaths & { readonly rpcPort: number };
}

/** A retired host or its successor. Secret: holds logins. */
export interface HostRef {
  readonly host: OrchestratorHost;
  readonly places: HostPaths;
  readonly node: NodeTarget;
}

/** Names, addresses and connections, no conclusions: host and chain are asked again. Secret: holds logins. */
export interface RetirementInputs extends HostRef, ChainSources {
  readonly stack: string;
  readonly pillar: string;
  readonly lifecycle: "active" | "adopted" | "retiring";
  /** Producer address of this host's node in an earlier run. */
  readonly knownProducer?: string | undefined;
  readonly recorded?: RecordedMomentum | undefined;
  /** Facts from state and event log at the time of writing: either may be lost later. */
  readonly remembered?:
    | { readonly isReached?: true; readonly recorded?: RecordedMomentum; readonly produced?: "seen" }
    | undefined;
  readonly server?: CloudServer | undefined;
  /** True if this stack ordered the server: nobody was on it before. */
  readonly isOwnServer: boolean;
  readonly successor?: HostRef | undefined;
  readonly network: Network;
  /** Milliseconds of a reward epoch. */
  readonly epoch: number;
  /** Paths relative to the project. */
  readonly backup: { readonly directory: string; readonly identityFile?: string | undefined };
  /** Script library (core/steps/libraries.ts). */
  readonly library: string;
}

export function createPathVariables({ service, dataDir, rpcPort, signer }: HostPaths) {
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
