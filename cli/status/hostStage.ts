import { wayBack } from "../../core/registration/messages";
import { commandsFor } from "../../core/util/commands";
import type { HostStage, StackView } from "./stackView";

/** Where a host that was synced, or is registered, stands on chain; undefined where that adds nothing. */
export function decideStageOnChain({ stack, pillar, synced, parts }: StackView): HostStage | undefined {
  if (parts === undefined || "problem" in parts.registration) return undefined;
  const registration = parts.registration.value;
  if (registration.kind === "tooEarly" && !synced)
    return { stage: "REGISTERED TOO EARLY: its node is not synced", next: wayBack(pillar, registration.earlier) };
  if (!synced) return undefined;
  const tells = `${commandsFor(stack).up} tells what to do`;
  switch (registration.kind) {
    case "producing":
      return {
        stage: "producing",
        next: "nothing to do here; a host that produced before can be retired: docs/retiring.md",
      };
    case "registered":
      return registration.isLate
        ? { stage: "registered, and it does not produce", next: `see that the node's clock is right; ${tells}` }
        : {
            stage: "registered, its first momentum still to come",
            next: "wait, and keep the old host running: it produces until momentums carry this host's address",
          };
    case "foreign":
      return { stage: "synced, and the Pillar is registered with an address that is not known here", next: tells };
    case "earlier":
      return registration.wasOurs
        ? { stage: "synced, and the Pillar went back to another address", next: tells }
        : undefined;
    default:
      return undefined;
  }
}

/** Where a host stands on which this program deploys nothing. */
export function decideInactiveStage({ stack, lifecycle, state, synced, parts }: StackView): HostStage {
  const destroy = parts?.destroy;
  const unmet = destroy && "value" in destroy ? destroy.value : undefined;
  const run = commandsFor(stack);
  const retire = `${run.retire("STACK")}, with the stack of the host that took over`;
  if (lifecycle === "adopted") {
    if (!state.isBegun) return { stage: "to be adopted", next: run.up };
    const stage = synced ? "adopted, its node is synced" : "adopted";
    const isFree = unmet?.every(({ loss }) => loss === "rewards");
    return {
      stage,
      next: isFree ? `its Pillar produces elsewhere: ${retire}` : `once its Pillar produces elsewhere: ${retire}`,
    };
  }
  if (!state.isBegun) return { stage: "nothing is left of it, or nothing was begun", next: `${run.report()} tells` };
  const node = parts?.node;
  if (node === undefined || "problem" in node)
    return { stage: "retiring; whether its node is off is not known", next: `${run.up} looks again` };
  if (node.value.active || !node.value.masked)
    return { stage: "retiring, its node is not shut down yet", next: run.up };
  const stage = "shut down: its node is off, and stays off";
  if (unmet === undefined) return { stage, next: `${run.destroy} asks what stands in its way` };
  return unmet.length === 0
    ? { stage, next: `nothing stands in the way any more: ${run.destroy}` }
    : { stage, next: `${run.destroy} is refused until what is told below is met` };
}

/** Where a stack's host stands, and what comes next. */
export function decideStage(view: StackView): HostStage {
  const { stack, state, locks: held, synced } = view;
  const done = view.facts?.done;
  // A first run that is at work has recorded nothing yet.
  const begun = state.isBegun || (held !== undefined && held.length > 0);
  const goOn = describeNextRun(stack, view, begun);
  const isOpen = held === undefined && state.pending.length > 0;
  const isHeld = isOpen || (held !== undefined && held.length > 0);
  const other = view.lifecycle === "active" ? decideStageOnChain(view) : decideInactiveStage(view);
  if (other) return isHeld ? { ...other, next: goOn } : other;
  if (synced) {
    return {
      stage: "synced",
      next: isHeld ? goOn : describeNextOfSynced(view),
    };
  }
  if (state.wait?.syncedAt !== undefined || done?.synced !== undefined)
    return {
      stage: "was synced before, is not now",
      next: `do not touch the wallet; ${commandsFor(stack).status("--watch")} waits for it`,
    };
  if (done === undefined) return { stage: begun ? "begun" : "not begun", next: goOn };
  if (done.deployed !== undefined) return { stage: "deployed, syncing", next: goOn };
  if (done.packages !== undefined) return { stage: "packages are there, not deployed yet", next: goOn };
  return { stage: begun ? "begun, packages not there yet" : "not begun", next: goOn };
}

/** The last run may have known of something that comes before the wallet. */
function describeNextOfSynced({ stack, state }: StackView): string {
  const run = commandsFor(stack);
  return state.lastRun?.isOffered === false
    ? `not the wallet yet: ${run.next} tells what comes before it`
    : `${run.up} shows the producer address, and what to do in the wallet`;
}

function describeNextRun(stack: string, { locks: held, state }: StackView, begun: boolean): string {
  if (held === undefined && state.pending.length > 0)
    return `${commandsFor(stack).resume()} goes on, and refuses where a run is at work`;
  if (held?.some(({ holder }) => holder === "lives")) return "nothing to do: the run that is at work goes on";
  if (held !== undefined && held.length > 0) return commandsFor(stack).resume();
  return begun ? `${commandsFor(stack).up} goes on from here` : commandsFor(stack).up;
}
