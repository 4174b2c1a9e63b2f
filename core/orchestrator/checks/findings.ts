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

/** What was found on the host that the signer is to leave. */
export interface OldSide {
  readonly facts: SideFacts;
  readonly build: Result<BuildInfo>;
  readonly status: Result<OrchestratorStatus | undefined>;
  readonly identity: Result<OrchestratorIdentity | undefined>;
  readonly config: OrchestratorConfigFile;
  /** Files that are to be whole JSON and are not. */
  readonly damaged: readonly string[];
  /** Files of key shares, below the directory. */
  readonly shares: readonly string[];
  /** Whether the key store that config.json names is there. */
  readonly hasKeyStore: boolean;
  /** What the configuration names, and what of it (host:port) answers from here. */
  readonly endpoints: readonly Endpoint[];
  readonly reached: readonly string[];
  /** By what its sshd judges a login from the new host; absent where that is not told. */
  readonly sshd?: SshdSettings;
}

/** What the new host sees of the old one's ssh. */
export type SshScan =
  /** Each as type and key. */
  | { readonly kind: "keys"; readonly keys: readonly string[] }
  /** Something listens, and the new host has no ssh-keyscan to ask it. */
  | { readonly kind: "noScanner" }
  /** What listens is no ssh server. */
  | { readonly kind: "noSsh" }
  | { readonly kind: "noConnection" };

/** What was found on the host that it is to come to. */
export interface NewSide {
  readonly facts: SideFacts;
  readonly build: Result<BuildInfo>;
  readonly scan: SshScan;
  readonly reached: readonly string[];
}

/** All that was found on both hosts and here. No secret in it. */
export interface MoveSurvey {
  readonly old: Result<OldSide>;
  readonly new: Result<NewSide>;
  readonly node: NodeStatus;
  /** By the chain, asked of the new host's node or a reference. */
  readonly bridge: BridgeNow;
  /** Bytes that this machine has room for, where the backups go. */
  readonly room: number;
}

/** What the configuration says about it. */
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
  /** How the new host reaches the old one's ssh, and the key that it must show there. */
  readonly copyAddress: string;
  readonly sshPort: number;
  readonly hostKey: string;
  /** What the record tells of the moves before. */
  readonly known?: Known;
  readonly release?: { readonly version: string } | undefined;
  readonly backupDirectory: string;
}
