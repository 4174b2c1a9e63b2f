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

/** Plain values, secrets among them. */
export interface HostInputs extends OrchestratorPaths {
  readonly host: OrchestratorHost;
}

export type PairInputs = Pick<MoveInputs, "stack" | "old" | "new" | "rpcPort" | "p2pPort" | "library">;

export type CopyInputs = PairInputs & Pick<MoveInputs, "copy">;

/** Plain values, as the provider gets them. */
export interface MoveInputs extends Acknowledgements, WitnessSources {
  readonly move: MoveId;
  readonly stack: string;
  readonly pillar: string;
  /** True if the orchestrator is to go back to the old host. */
  readonly rollback: boolean;
  /** Secret. */
  readonly notify?: string | undefined;
  readonly old: HostInputs;
  readonly new: HostInputs;
  readonly node: NodeTarget;
  /** The old host's ssh, as the new host reaches it. */
  readonly copy: { readonly address: string; readonly port: number };
  readonly rpcPort: number;
  readonly p2pPort: number;
  readonly backup: BackupPlace;
  /** Version of the release that is configured for the new host. */
  readonly version?: string | undefined;
  /** Script library (core/steps/libraries.ts). */
  readonly library: string;
  /** Milliseconds for a started orchestrator's answer. */
  readonly answerWithin: number;
  /** Milliseconds for which it must stay up. */
  readonly steadyFor: number;
}
