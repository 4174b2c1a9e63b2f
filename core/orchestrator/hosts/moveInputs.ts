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

/** One of the two hosts of a move; plain values, secrets among them. */
export interface SideInputs extends OrchestratorPaths {
  readonly host: OrchestratorHost;
}

/** What reaches both hosts of a move, of {@link MoveInputs}. */
export type PairInputs = Pick<MoveInputs, "stack" | "old" | "new" | "rpcPort" | "p2pPort" | "library">;

/** What a copy between them takes. */
export type CopyInputs = PairInputs & Pick<MoveInputs, "copy">;

/** What a move is made of; plain values, as its provider gets them. */
export interface MoveInputs extends Acknowledged, WitnessSources {
  readonly move: MoveId;
  readonly stack: string;
  readonly pillar: string;
  /** True: the signer goes back to the old host. */
  readonly rollback: boolean;
  /** A webhook that is told of the end; a secret. */
  readonly notify?: string | undefined;
  readonly old: SideInputs;
  readonly new: SideInputs;
  /** The new host's node. */
  readonly node: NodeTarget;
  /** How the new host reaches the old one's ssh. */
  readonly copy: { readonly address: string; readonly port: number };
  readonly rpcPort: number;
  /** Where the signers talk to each other. */
  readonly p2pPort: number;
  readonly backup: BackupPlace;
  /** Of the release that is configured for the new host. */
  readonly version?: string | undefined;
  /** The script library (core/steps/libraries.ts). */
  readonly library: string;
  /** Milliseconds until a started orchestrator must answer. */
  readonly answerWithin: number;
  /** Milliseconds over which it must stay up. */
  readonly steadyFor: number;
}
