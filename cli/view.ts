import type { Held } from "./lockTexts";
import type { Parts } from "./parts/parts";
import type { StackState } from "./stackState";
import { stageOfOther, stageOnChain } from "./stages";

/** All that `status` knows at a moment. */
export interface View {
  readonly stack: string;
  readonly pillar: string;
  readonly address: string;
  readonly lifecycle: "active" | "adopted" | "retiring";
  readonly state: StackState;
  /** Who holds the stack's lock; undefined where that can't be seen. */
  readonly held?: readonly Held[] | undefined;
  /** The gate's progress line. */
  readonly sync?: string | undefined;
  /** What the gate would let pass. */
  readonly synced: boolean;
  /** Lines of core/steps/facts.sh. */
  readonly facts?: readonly string[] | undefined;
  /** All else that was asked; undefined while it is looked at for the first time. */
  readonly parts?: Parts | undefined;
}

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

/** Where a stack's host stands, and what comes next (pure). */
export function stageOf(view: View): Stage {
  const { stack, state, held, synced } = view;
  const done = doneOn(view.facts);
  // A first run that is at work has recorded nothing yet.
  const begun = state.begun || (held !== undefined && held.length > 0);
  const goOn = nextRun(stack, held, begun);
  const isHeld = held !== undefined && held.length > 0;
  const other = view.lifecycle === "active" ? stageOnChain(view) : stageOfOther(view);
  if (other) return isHeld ? { ...other, next: goOn } : other;
  if (synced) {
    return {
      stage: "synced",
      next: isHeld ? goOn : `pulumi up -s ${stack} shows the producer address, and what to do in the wallet`,
    };
  }
  if (state.wait?.syncedAt !== undefined || done?.includes("synced"))
    return {
      stage: "was synced before, is not now",
      next: `do not touch the wallet; npx pillar-host status ${stack} --watch waits for it`,
    };
  if (done === undefined) return { stage: begun ? "begun" : "not begun", next: goOn };
  if (done.includes("deployed")) return { stage: "deployed, syncing", next: goOn };
  if (done.includes("packages")) return { stage: "packages are there, not deployed yet", next: goOn };
  return { stage: begun ? "begun, packages not there yet" : "not begun", next: goOn };
}

function nextRun(stack: string, held: View["held"], begun: boolean): string {
  if (held?.some(({ holder }) => holder === "lives")) return "nothing to do: the pulumi up that is at work goes on";
  if (held !== undefined && held.length > 0) return `npx pillar-host resume ${stack}`;
  return begun ? `pulumi up -s ${stack} goes on from here` : `pulumi up -s ${stack}`;
}
