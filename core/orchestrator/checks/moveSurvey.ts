import type { BuildInfo, OrchestratorIdentity, OrchestratorStatus } from "../../chain/orchestrator";
import type { MoveId } from "../../eventLog/moveId";
import type { SshdSettings } from "../../ssh/sshdFaults";
import type { NodeStatus } from "../../sync/nodeStatus";
import type { Result } from "../../util/result";
import type { Acknowledged } from "../rules/acknowledged";
import type { Endpoint } from "../rules/endpoints";
import type { Known } from "../rules/generation";
import type { SideFacts } from "../rules/hostPairFacts";
import type { OrchestratorConfigFile } from "../rules/orchestratorConfigFile";
import type { BridgeNow } from "./bridgeNow";

/** The state of the old host. */
export interface OldSide {
  readonly facts: SideFacts;
  readonly build: Result<BuildInfo>;
  readonly status: Result<OrchestratorStatus | undefined>;
  readonly identity: Result<OrchestratorIdentity | undefined>;
  readonly config: OrchestratorConfigFile;
  /** Files that are not whole JSON but should be. */
  readonly damaged: readonly string[];
  /** Files of key shares, below the directory. */
  readonly shares: readonly string[];
  /** True if the key store that config.json names exists. */
  readonly hasKeyStore: boolean;
  /** Nodes in the configuration. */
  readonly endpoints: readonly Endpoint[];
  /** Addresses (host:port) of these nodes that answer the old host. */
  readonly reached: readonly string[];
  /** Settings of the old host's sshd for a login from the new host; absent if unknown. */
  readonly sshd?: SshdSettings | undefined;
}

/** The old host's ssh server, as the new host reaches it. */
export type SshScan =
  /** Host keys, each as type and key. */
  | { readonly kind: "keys"; readonly keys: readonly string[] }
  /** Something listens, and the new host has no ssh-keyscan to ask it. */
  | { readonly kind: "noScanner" }
  /** Something listens that is no ssh server. */
  | { readonly kind: "noSsh" }
  | { readonly kind: "noConnection" };

/** The state of the new host. */
export interface NewSide {
  readonly facts: SideFacts;
  readonly build: Result<BuildInfo>;
  readonly scan: SshScan;
  /** Addresses (host:port) of the configuration's nodes that answer the new host. */
  readonly reached: readonly string[];
}

/** The state of both hosts, the chain and this machine before a move; no secret. */
export interface MoveSurvey {
  readonly old: Result<OldSide>;
  readonly new: Result<NewSide>;
  readonly node: NodeStatus;
  /** The bridge's state on the chain. */
  readonly bridge: BridgeNow;
  /** Free bytes on this machine in the directory of the backups. */
  readonly room: number;
}

/** The configuration of a move, for the checks before it. */
export interface Requirements extends Acknowledged {
  readonly stack: string;
  readonly move: MoveId;
  readonly old: {
    readonly address: string;
    readonly service: string;
    readonly directory: string;
    readonly executable: string;
  };
  readonly new: { readonly address: string; readonly service: string; readonly directory: string };
  readonly rpcPort: number;
  /** Address and port at which the new host reaches the old one's ssh. */
  readonly copyAddress: string;
  readonly sshPort: number;
  /** The key that the old host must have there. */
  readonly hostKey: string;
  /** Earlier moves in the event log. */
  readonly known?: Known;
  readonly release?: { readonly version: string } | undefined;
  readonly backupDirectory: string;
}
