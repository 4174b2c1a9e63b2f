import type { GateNews, SyncProgress } from "../core/sync/progress";
import type { Held } from "./lockTexts";
import type { Parts } from "./parts/parts";
import type { StackState } from "./stackState";

/** All that `status` knows at a moment. */
export interface View {
  readonly stack: string;
  readonly pillar: string;
  readonly address: string;
  readonly lifecycle: "active" | "adopted" | "retiring";
  readonly state: StackState;
  /** Who holds the stack's lock; undefined where that can't be seen. */
  readonly held?: readonly Held[] | undefined;
  /** What the gate would show of its last look. */
  readonly sync?: SyncProgress | undefined;
  /** What the gate would let pass. */
  readonly synced: boolean;
  /** Lines of core/steps/facts.sh. */
  readonly facts?: readonly string[] | undefined;
  /** All else that was asked; undefined while it is looked at for the first time. */
  readonly parts?: Parts | undefined;
}

/** What the gate would tell, or the watch itself has to say. */
export type WatchNews = GateNews | { readonly kind: "watch"; readonly text: string };

/** How far a stack's host is, and what comes next. */
export interface Stage {
  readonly stage: string;
  readonly next: string;
}

/** What the host's markers say was done: `packages`, `deployed`, `synced`; undefined where it could not be asked (pure). */
export function doneOn(facts: readonly string[] | undefined): readonly string[] | undefined {
  const line = facts?.find((fact) => fact.startsWith("done so far: "));
  if (line === undefined) return undefined;
  return ["packages", "deployed", "synced"].filter((stage) => new RegExp(`[ ,]${stage}( |,|$)`).test(line));
}
