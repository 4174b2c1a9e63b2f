import type { NodeHostFacts } from "../../core/ssh/hostFacts";
import type { GateMessage, SyncProgress } from "../../core/sync/progress";
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
  /** Holders of the stack's lock; undefined if the backend does not tell. */
  readonly locks?: readonly LockStatus[] | undefined;
  /** Progress as the sync gate would show it. */
  readonly sync?: SyncProgress | undefined;
  /** True if the sync gate would pass. */
  readonly synced: boolean;
  readonly facts?: NodeHostFacts | undefined;
  /** Undefined until the first lookup has ended. */
  readonly parts?: StatusParts | undefined;
}

export type WatchMessage = GateMessage | { readonly kind: "watch"; readonly text: string };

/** When values were read, in unix milliseconds. */
export interface ViewTimes {
  readonly lookedAt?: number | undefined;
  readonly nextLookAt?: number | undefined;
  readonly factsAt?: number | undefined;
}

export interface TimedView {
  readonly view: StackView;
  readonly times: ViewTimes;
}

export interface Display {
  /** Shows all stacks. Called every second, and when one has changed. */
  show(stacks: readonly TimedView[]): void;
  /** Shows a message. @param stack given if there are several */
  say(message: WatchMessage, stack?: string): void;
  /** Releases the terminal, and leaves the last view in it. */
  end(): void;
}

export const formatTitle = ({ pillar, stack, address }: StackView) =>
  `Pillar ${pillar}, stack ${stack}, host ${address}`;
