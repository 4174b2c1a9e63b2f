import type { NodeTarget } from "../../chain/node";
import type { MoveId } from "../../eventLog/moveId";
import type { OrchestratorHost } from "../../ssh/root";
import type { WitnessSources } from "../../sync/references";

export interface OrchestratorPaths {
  readonly service: string;
  readonly directory: string;
  readonly executable: string;
}

export interface OrchestratorPlace extends OrchestratorPaths {
  readonly nodeDirectory: string;
  readonly rpcPort: number;
}

/** Inputs that can be stored as JSON; no secrets. */
export interface SecureOptions {
  readonly stack: string;
  readonly move: MoveId;
  readonly old: OrchestratorPlace;
  readonly new: OrchestratorPlace;
  /** Address of the old host's ssh, as the new host reaches it. */
  readonly copyAddress: string;
  readonly sshPort: number;
  readonly sshUser: string;
  /** The ssh host key that the old host must show there. */
  readonly hostKey: string;
  /** The orchestrator's release that is configured for the new host. */
  readonly release?: { readonly version: string } | undefined;
  /** Paths as configured: relative to the project, or beginning with `~/`. */
  readonly backups: { readonly directory: string; readonly identityFile?: string | undefined };
  readonly noKeyShare: boolean;
  /** True if the orchestrator may move while the bridge is halted. */
  readonly haltedBridge: boolean;
  /** Number of the last move before the operator brought the orchestrator here by hand; no other host can start it. */
  readonly laterThanMove?: number | undefined;
  /** True if no move of the orchestrator ever began. */
  readonly firstMove?: boolean | undefined;
  /** The backup from which the orchestrator is restored, because the old host is lost and fenced. */
  readonly restoreFrom?: string | undefined;
}

/** A host of a move with its login. Secret. */
export interface MoveHost extends OrchestratorPlace {
  readonly host: OrchestratorHost;
}

/** Inputs of the backup before a move; can be stored as JSON, some are secret. */
export interface BackupInputs extends SecureOptions, WitnessSources {
  readonly old: MoveHost;
  readonly new: MoveHost;
  readonly node: NodeTarget;
  /** Script library (core/steps/libraries.ts). */
  readonly library: string;
}

/** Inputs of the move; can be stored as JSON, some are secret. */
export interface MoveInputs extends BackupInputs {
  readonly pillar: string;
  readonly rollback: boolean;
  /** URL of the webhook; secret. */
  readonly notify?: string | undefined;
  readonly p2pPort: number;
  /** Milliseconds within which a started orchestrator must answer. */
  readonly answerWithin: number;
  /** Milliseconds for which it must then stay up. */
  readonly steadyFor: number;
}
