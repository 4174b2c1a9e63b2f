import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import type { SyncProgress } from "../../core/sync/progress";
import type { LockStatus } from "../pulumi/locks";
import type { StackState } from "../pulumi/stackState";
import type { StatusParts } from "./parts/statusParts";

export interface StackView {
  readonly stack: string;
  readonly pillar: string;
  readonly address: string;
  readonly lifecycle: "active" | "adopted" | "retiring";
  /** True if the operator accepted a chain that no witness confirms. */
  readonly isChainUnverified?: boolean;
  readonly state: StackState;
  /** Holders of the stack's lock; undefined if the backend does not show them. */
  readonly locks?: readonly LockStatus[] | undefined;
  /** Progress as the sync gate would show it. */
  readonly sync?: SyncProgress | undefined;
  /** True if the sync gate would pass. */
  readonly synced: boolean;
  readonly facts?: NodeHostFacts | undefined;
  /** Undefined until the first lookup has ended. */
  readonly parts?: StatusParts | undefined;
}

/** A command stays on one line if it can, so that it can be pasted. */
export type Row = readonly [label: string, text: string, kind?: "command"];

export const formatTitle = ({ pillar, stack, address }: StackView) =>
  `Pillar ${pillar}, stack ${stack}, host ${address}`;
