import type { BuildInfo, OrchestratorIdentity, OrchestratorStatus } from "../../chain/orchestrator";
import type { SshdSettings } from "../../ssh/sshdFaults";
import type { NodeStatus } from "../../sync/nodeStatus";
import type { Result } from "../../util/result";
import type { OrchestratorPlace, SecureOptions } from "../hosts/moveInputs";
import type { Endpoint } from "../rules/endpoints";
import type { MoveHistory } from "../rules/generation";
import type { OrchestratorFacts } from "../rules/hostPairFacts";
import type { OrchestratorConfigFile } from "../rules/orchestratorConfigFile";
import type { BridgeNow } from "./bridgeState";

export interface OldSide {
  readonly facts: OrchestratorFacts;
  readonly build: Result<BuildInfo>;
  readonly status: Result<OrchestratorStatus | undefined>;
  readonly identity: Result<OrchestratorIdentity | undefined>;
  readonly config: OrchestratorConfigFile;
  /** Files that should be whole JSON but are not. */
  readonly damaged: readonly string[];
  /** Paths of the key shares below the directory. */
  readonly shares: readonly string[];
  readonly hasKeyStore: boolean;
  readonly endpoints: readonly Endpoint[];
  /** Those endpoints (host:port) that answer the old host. */
  readonly reached: readonly string[];
  /** sshd's settings for a login from the new host; absent if unknown. */
  readonly sshd?: SshdSettings | undefined;
}

/** The answer of the old host's ssh port to the new host. */
export type SshScan =
  /** Host keys, each as type and key. */
  | { readonly kind: "keys"; readonly keys: readonly string[] }
  /** Something listens that is no ssh server. */
  | { readonly kind: "noSsh" }
  | { readonly kind: "noConnection" };

export interface NewSide {
  readonly facts: OrchestratorFacts;
  readonly build: Result<BuildInfo>;
  readonly scan: SshScan;
  /** The configuration's nodes (host:port) that answer the new host. */
  readonly reached: readonly string[];
}

/** State of both hosts, the chain and this machine before a move; no secret. */
export interface MoveSurvey {
  readonly old: Result<OldSide>;
  readonly new: Result<NewSide>;
  readonly node: NodeStatus;
  readonly bridge: BridgeNow;
  /** Free bytes for the backups on this machine. */
  readonly room: number;
}

type HostPlace = OrchestratorPlace & { readonly address: string };

export interface Requirements extends SecureOptions {
  readonly old: HostPlace;
  readonly new: HostPlace;
  readonly backupDirectory: string;
  readonly known?: MoveHistory;
}
