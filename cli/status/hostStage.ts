import { isOffered } from "../../core/journey/outputs.ts";
import { formatWayBack } from "../../core/registration/registrationMessages.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { takeValue } from "../../core/util/result.ts";
import { findProblems } from "./parts/hostProblemsPart.ts";
import type { StackView } from "./stackView.ts";

/** `step`: take the next step at any time. `wait`: the stack only needs time. `attention`: solve a problem. */
export type Needs = "nothing" | "step" | "wait" | "attention";

const at = (needs: Needs, stage: string, next: string) => ({ needs, stage, next });

type HostStage = ReturnType<typeof at>;

export function decideStage(view: StackView): HostStage {
  const { stack, lifecycle, parts } = view;
  const decide = { active: decideActiveStage, adopted: decideAdoptedStage, retiring: decideRetiringStage };
  const found = decide[lifecycle](view);
  const hasProblem = takeValue(parts.orchestrator)?.isWrong || findProblems(parts, stack).some(({ isNow }) => isNow);
  const needs = hasProblem ? "attention" : found.needs;
  return { ...found, next: describeOpenRun(view) ?? found.next, needs };
}

function describeOpenRun({ stack, locks, state }: StackView): string | undefined {
  const resume = commandsFor(stack).resume();
  if (locks === undefined)
    return state.pending.length > 0 ? `${resume} continues the last run, unless it is still active` : undefined;
  if (locks.some(({ holder }) => holder === "lives")) return "nothing to do: a run is active";
  return locks.length > 0 ? resume : undefined;
}

function decideActiveStage(view: StackView): HostStage {
  const { stack, pillar, state, locks, sync, synced, facts, parts } = view;
  const registration = takeValue(parts.registration);
  // Silent witnesses do not make a registered host wait.
  const isUsed = registration?.kind === "registered" || registration?.kind === "producing";
  if (synced || (isUsed && sync?.why.kind === "unwitnessed")) return decideSyncedStage(view);
  const { up, status } = commandsFor(stack);
  if (registration?.kind === "tooEarly")
    return at("attention", "REGISTERED TOO EARLY: the node is not synced", formatWayBack(pillar, registration.earlier));
  const done = facts?.done;
  const watch = `do not touch the wallet; ${status("--watch")} waits for the sync`;
  if (state.wait?.syncedAt !== undefined || done?.synced !== undefined)
    return at("wait", "was synced, but is not synced now", watch);
  // A first run that is still active may not have stored anything in the state.
  const isBegun = state.isBegun || (locks ?? []).length > 0;
  const next = isBegun ? `${up} continues from here` : up;
  if (done?.deployed !== undefined) return at("wait", "deployed, syncing", next);
  if (done?.packages !== undefined) return at("wait", "packages installed, not deployed yet", next);
  return at("wait", isBegun ? "started" : "not started", next);
}

function decideSyncedStage({ stack, state, parts }: StackView): HostStage {
  const registration = takeValue(parts.registration);
  const { up, next } = commandsFor(stack);
  const upTells = `${up} says what to do`;
  const retire = "nothing to do here; if another host produced before, retire it: docs/retiring.md";
  const keep = "wait, and keep the old host running: it produces until momentums carry this host's address";
  if (registration?.kind === "producing") return at("nothing", "producing", retire);
  if (registration?.kind === "registered") return at("wait", "registered; waiting for its first momentum", keep);
  if (registration?.kind === "foreign")
    return at("attention", "synced, but the Pillar is registered with an unknown address", upTells);
  if (registration?.kind === "earlier" && registration.wasOurs)
    return at("attention", "synced, but the Pillar is registered with an earlier address again", upTells);
  // If the last run found a step before the wallet, points to that one.
  if (state.last.finished && !isOffered(state.last))
    return at("step", "synced", `do not update the wallet yet; run ${next}`);
  return at("step", "synced", `${up} shows the producer address, and what to do in the wallet`);
}

function decideAdoptedStage({ stack, state, synced, parts }: StackView): HostStage {
  const { up, retire } = commandsFor(stack);
  if (!state.isBegun) return at("wait", "to be adopted", up);
  const isFree = takeValue(parts.destroy)?.every(({ loss }) => loss === "rewards");
  const when = isFree ? "the Pillar produces elsewhere" : "once the Pillar produces elsewhere";
  const next = `${when}: ${retire("STACK")}, with the stack of the host that took over`;
  if (synced) return at("nothing", "adopted, node synced", next);
  return at(takeValue(parts.registration)?.kind === "tooEarly" ? "attention" : "wait", "adopted", next);
}

function decideRetiringStage({ stack, state, parts }: StackView): HostStage {
  const { up, destroy, report } = commandsFor(stack);
  if (!state.isBegun) return at("nothing", "retired, or never created", `to see its history: ${report()}`);
  const node = takeValue(parts.node);
  if (node === undefined) return at("attention", "retiring; unknown whether its node is off", `check again: ${up}`);
  const unmet = takeValue(parts.destroy);
  const isOn = node.active || !node.masked;
  const stage = isOn ? "retiring, node not shut down yet" : "shut down: its node is off and masked";
  const then = (needs: Needs, next: string) => at(needs, stage, isOn ? up : next);
  if (unmet === undefined) return then("attention", `${destroy} checks whether the host may be deleted`);
  if (unmet.length === 0) return then("step", `the host may be deleted now: ${destroy}`);
  return then("wait", `${destroy} is refused until the conditions below are met`);
}
