import type { NodeTarget } from "../../chain/node";
import type { MoveId } from "../../eventLog/moveId";
import type { OrchestratorHost } from "../../ssh/root";
import type { WitnessSources } from "../../sync/chainSources";
import type { BackupPlace } from "../backup/backupPlace";
import type { Acknowledged } from "../rules/acknowledged";

/** An orchestrator's unit, its state directory, and the name of its process. */
export interface OrchestratorPaths {
  readonly service: string;
  readonly directory: string;
  readonly executable: string;
}

/** The old or the new host of a move; plain values, secrets among them. */
export interface SideInputs extends OrchestratorPaths {
  readonly host: OrchestratorHost;
}

/** The part of {@link MoveInputs} that {@link HostPair} needs. */
export type PairInputs = Pick<MoveInputs, "stack" | "old" | "new" | "rpcPort" | "p2pPort" | "library">;

/** The part of {@link MoveInputs} that a copy needs. */
export type CopyInputs = PairInputs & Pick<MoveInputs, "copy">;

/** Inputs of a move; plain values, as its provider gets them. */
export interface MoveInputs extends Acknowledged, WitnessSources {
  readonly move: MoveId;
  readonly stack: string;
  readonly pillar: string;
  /** True if the orchestrator is to go back to the old host. */
  readonly rollback: boolean;
  /** A webhook for the end of the move; a secret. */
  readonly notify?: string | undefined;
  readonly old: SideInputs;
  readonly new: SideInputs;
  /** The new host's node. */
  readonly node: NodeTarget;
  /** Address at which the new host reaches the old one's ssh. */
  readonly copy: { readonly address: string; readonly port: number };
  readonly rpcPort: number;
  /** Port of the orchestrators' peer-to-peer network. */
  readonly p2pPort: number;
  readonly backup: BackupPlace;
  /** Version of the release that is configured for the new host. */
  readonly version?: string | undefined;
  /** The script library (core/steps/libraries.ts). */
  readonly library: string;
  /** Milliseconds within which a started orchestrator must answer. */
  readonly answerWithin: number;
  /** Milliseconds for which it must stay up. */
  readonly steadyFor: number;
}
