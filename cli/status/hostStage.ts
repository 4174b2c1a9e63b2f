import { formatWayBack } from "../../core/registration/registrationMessages";
import { commandsFor } from "../../core/util/commands";
import { getValue } from "./parts/statusParts";
import type { StackView } from "./stackView";

interface HostStage {
  readonly stage: string;
  readonly next: string;
}

/** Decides the stage by the registration on chain; undefined if the registration does not matter yet. */
function decideStageOnChain({ stack, pillar, synced, parts }: StackView): HostStage | undefined {
  const registration = getValue(parts?.registration);
  if (registration === undefined) return undefined;
  if (registration.kind === "tooEarly" && !synced)
    return { stage: "REGISTERED TOO EARLY: the node is not synced", next: formatWayBack(pillar, registration.earlier) };
  if (!synced) return undefined;
  const tells = `${commandsFor(stack).up} says what to do`;
  switch (registration.kind) {
    case "producing":
      return {
        stage: "producing",
        next: "nothing to do here; if another host produced before, retire it: docs/retiring.md",
      };
    case "registered":
      return registration.isLate
        ? { stage: "registered, but it does not produce", next: `check the node's clock; ${tells}` }
        : {
            stage: "registered; waiting for its first momentum",
            next: "wait, and keep the old host running: it produces until momentums carry this host's address",
          };
    case "foreign":
      return { stage: "synced, but the Pillar is registered with an unknown address", next: tells };
    case "earlier":
      return registration.wasOurs
        ? { stage: "synced, but the Pillar is registered with an earlier address again", next: tells }
        : undefined;
    default:
      return undefined;
  }
}

function decideInactiveStage({ stack, lifecycle, state, synced, parts }: StackView): HostStage {
  const unmet = getValue(parts?.destroy);
  const run = commandsFor(stack);
  const retire = `${run.retire("STACK")}, with the stack of the host that took over`;
  if (lifecycle === "adopted") {
    if (!state.isBegun) return { stage: "to be adopted", next: run.up };
    const stage = synced ? "adopted, node synced" : "adopted";
    const isFree = unmet?.every(({ loss }) => loss === "rewards");
    return {
      stage,
      next: isFree ? `the Pillar produces elsewhere: ${retire}` : `once the Pillar produces elsewhere: ${retire}`,
    };
  }
  if (!state.isBegun) return { stage: "retired, or never created", next: `to see its history: ${run.report()}` };
  const node = getValue(parts?.node);
  if (node === undefined) return { stage: "retiring; unknown whether its node is off", next: `check again: ${run.up}` };
  if (node.active || !node.masked) return { stage: "retiring, node not shut down yet", next: run.up };
  const stage = "shut down: its node is off and masked";
  if (unmet === undefined) return { stage, next: `${run.destroy} checks whether the host may be deleted` };
  return unmet.length === 0
    ? { stage, next: `the host may be deleted now: ${run.destroy}` }
    : { stage, next: `${run.destroy} is refused until the conditions below are met` };
}

export function decideStage(view: StackView): HostStage {
  const { stack, state, locks: held, synced } = view;
  const done = view.facts?.done;
  // A first run that is still active may not have stored anything in the state.
  const begun = state.isBegun || (held !== undefined && held.length > 0);
  const goOn = describeNextRun(stack, view, begun);
  const isOpen = held === undefined && state.pending.length > 0;
  const isHeld = isOpen || (held !== undefined && held.length > 0);
  const other = view.lifecycle === "active" ? decideStageOnChain(view) : decideInactiveStage(view);
  if (other) return isHeld ? { ...other, next: goOn } : other;
  if (synced) {
    return { stage: "synced", next: isHeld ? goOn : describeNextOfSynced(view) };
  }
  if (state.wait?.syncedAt !== undefined || done?.synced !== undefined)
    return {
      stage: "was synced, but is not synced now",
      next: `do not touch the wallet; ${commandsFor(stack).status("--watch")} waits for the sync`,
    };
  if (done === undefined) return { stage: begun ? "started" : "not started", next: goOn };
  if (done.deployed !== undefined) return { stage: "deployed, syncing", next: goOn };
  if (done.packages !== undefined) return { stage: "packages installed, not deployed yet", next: goOn };
  return { stage: begun ? "started, packages not installed yet" : "not started", next: goOn };
}

/** Names the next step of a synced node. If the last run found a step before the wallet, points to that one. */
function describeNextOfSynced({ stack, state }: StackView): string {
  const run = commandsFor(stack);
  return state.lastRun?.isOffered === false
    ? `do not update the wallet yet; run ${run.next}`
    : `${run.up} shows the producer address, and what to do in the wallet`;
}

function describeNextRun(stack: string, { locks: held, state }: StackView, begun: boolean): string {
  if (held === undefined && state.pending.length > 0)
    return `${commandsFor(stack).resume()} continues the last run, unless it is still active`;
  if (held?.some(({ holder }) => holder === "lives")) return "nothing to do: a run is active";
  if (held !== undefined && held.length > 0) return commandsFor(stack).resume();
  return begun ? `${commandsFor(stack).up} continues from here` : commandsFor(stack).up;
}
