import type { NodeTarget } from "../../chain/node";
import type { MoveId } from "../../eventLog/moveId";
import type { OrchestratorHost } from "../../ssh/root";
import type { WitnessSources } from "../../sync/chainSources";
import type { BackupPlace } from "../backup/backupPlace";
import type { Acknowledgements } from "../rules/acknowledgements";

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
export interface SecureOptions extends Acknowledgements {
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
  readonly release?: { readonly version: string } | undefined;
  /** Paths as configured: relative to the project, or beginning with `~/`. */
  readonly backups: { readonly directory: string; readonly identityFile?: string | undefined };
}

/** Values that can be stored as JSON; some are secret. */
export interface HostInputs extends OrchestratorPaths {
  readonly host: OrchestratorHost;
}

export type PairInputs = Pick<MoveInputs, "stack" | "old" | "new" | "rpcPort" | "p2pPort" | "library">;

export type CopyInputs = PairInputs & Pick<MoveInputs, "copy">;

/** Inputs of the provider; can be stored as JSON. */
export interface MoveInputs extends Acknowledgements, WitnessSources {
  readonly move: MoveId;
  readonly stack: string;
  readonly pillar: string;
  /** True if the orchestrator shall go back to the old host. */
  readonly rollback: boolean;
  /** URL of the webhook; secret. */
  readonly notify?: string | undefined;
  readonly old: HostInputs;
  readonly new: HostInputs;
  readonly node: NodeTarget;
  /** Address of the old host's ssh, as the new host reaches it. */
  readonly copy: { readonly address: string; readonly port: number };
  readonly rpcPort: number;
  readonly p2pPort: number;
  readonly backup: BackupPlace;
  /** Version of the orchestrator's release that is configured for the new host. */
  readonly version?: string | undefined;
  /** Script library (core/steps/libraries.ts). */
  readonly library: string;
  /** Milliseconds within which a started orchestrator must answer. */
  readonly answerWithin: number;
  /** Milliseconds for which it must then stay up. */
  readonly steadyFor: number;
}
