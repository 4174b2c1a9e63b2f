import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import type { GateNews, SyncProgress } from "../../core/sync/progress";
import type { LockStatus } from "../pulumi/locks";
import type { StackState } from "../pulumi/stackState";
import type { StatusParts } from "./parts/statusParts";

/** All that `status` knows at a moment. */
export interface StackView {
  readonly stack: string;
  readonly pillar: string;
  readonly address: string;
  readonly lifecycle: "active" | "adopted" | "retiring";
  /** The operator took the risk of a chain that no witness confirms. */
  readonly isChainUnverified?: boolean;
  readonly state: StackState;
  /** Who holds the stack's lock; undefined where that can't be seen. */
  readonly locks?: readonly LockStatus[] | undefined;
  /** What the gate would show of its last look. */
  readonly sync?: SyncProgress | undefined;
  /** What the gate would let pass. */
  readonly synced: boolean;
  readonly facts?: NodeHostFacts | undefined;
  /** All else that was asked; undefined while it is looked at for the first time. */
  readonly parts?: StatusParts | undefined;
}

/** What the gate would tell, or the watch itself has to say. */
export type WatchMessage = GateNews | { readonly kind: "watch"; readonly text: string };

/** How far a stack's host is, and what comes next. */
export interface HostStage {
  readonly stage: string;
  readonly next: string;
}
