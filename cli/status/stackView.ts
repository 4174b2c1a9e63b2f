import type { NodeFacts } from "../../core/host/nodeFacts.ts";
import type { StackFacts } from "../../core/journey/stackFacts.ts";
import type { SyncProgress } from "../../core/sync/progress.ts";
import type { SyncResult } from "../../core/sync/waitForSync.ts";
import type { TextLine } from "../../core/util/commands.ts";
import type { Problem, ProblemError } from "../../core/util/problem.ts";
import type { StackState } from "../pulumi/stackState.ts";
import type { StackInfo } from "./openStack.ts";
import type { StatusParts } from "./parts/statusParts.ts";

export interface StackView extends Omit<StackFacts, "run" | "node"> {
  readonly address: string;
  /** True if the operator accepted a chain that no witness confirms. */
  readonly isChainUnverified?: boolean;
  readonly state: StackState;
  readonly sync?: SyncProgress | undefined;
  /** True if the sync gate would pass. */
  readonly synced: boolean;
  readonly facts?: NodeFacts | undefined;
  /** Lines on the ways back of a node that is not synced any more. */
  readonly waysBack?: readonly TextLine[];
  readonly parts: StatusParts;
}

export interface ReadStack {
  readonly view: StackView;
  readonly exitCode: number;
  /** Set if the host could not be reached. */
  readonly problem?: Problem;
  readonly proof?: SyncResult | undefined;
}

/** A stack of the backend as it was read, or why it was not. `source` is absent if it could not be opened. */
export type StackLookup = { readonly stack: string; readonly source?: StackInfo } & (
  | ReadStack
  | { readonly refusal: ProblemError }
);

export type Row = readonly [label: string, text: string, kind?: "command"];
