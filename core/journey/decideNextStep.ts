import type { Registration } from "../registration/registration.ts";
import { commandsFor } from "../util/commands.ts";
import { takeValue } from "../util/result.ts";
import { formatContinueMove, formatDuties, formatNoSigner } from "./orchestratorTexts.ts";
import { formatActiveRun, formatCutOff, formatUnfinished } from "./runTexts.ts";
import type { MoveTiming, StackFacts } from "./stackFacts.ts";
import { goOn, type Known, moveFirst, type Needs, type StackStage, stackStages } from "./stackStages.ts";
import { formatAdoption, formatNotes, formatStage } from "./stackStageTexts.ts";

export interface RunStep {
  readonly kind: "run";
  readonly command: "init" | "up" | "adopt" | "move" | "withdraw" | "retire" | "destroy" | "resume";
  readonly stack: string;
  readonly line: string;
  readonly address?: string;
  /** Configuration key that a withdrawal removes. */
  readonly key?: string;
  /** True if the step can't be undone, or costs money: pulumi then asks, even with --yes. */
  readonly isFinal?: boolean;
  /** True if it changes nothing on a host, so that `migrate` does not ask. */
  readonly isHarmless?: boolean;
  /** True if `check` has to pass first. */
  readonly isCheckedFirst?: boolean;
}

/**
 * `wait`: until the chain or a host changes; another `key` is another wait. `stop`: the operator has to decide or repair
 * something. `none`: nothing is left to do on this stack alone.
 */
export type JourneyStep =
  | RunStep
  | { readonly kind: "wait"; readonly key: string }
  | { readonly kind: "stop" }
  | { readonly kind: "none" };

export interface Decision {
  readonly stage: StackStage;
  /** The stage's name, for a table. */
  readonly title: string;
  readonly needs: Needs;
  readonly step: JourneyStep;
  /** A line for a table. */
  readonly next: string;
  /** The printed lines. */
  readonly lines: readonly string[];
  /** True if the lines offer this host's producer address: operators may register an address once it is printed. */
  readonly isAddressOffered: boolean;
  /** Set if this comes before the stage's own step. */
  readonly before?: "activeRun" | "noSigner" | "cutOffRun" | "unfinishedRun" | "move" | "orchestrator";
}

type Before = Pick<Decision, "before" | "next" | "step"> & Partial<Decision>;

/** Decides what is next on a stack, for every command that prints or runs it. */
export function decideNextStep(facts: StackFacts): Decision {
  const { stack, run, state } = facts;
  const commands = commandsFor(stack);
  const registration = takeValue(facts.parts?.registration);
  const decide = { active: decideActiveStage, adopted: decideAdoptedStage, retiring: decideRetiringStage };
  const stage = decide[facts.lifecycle](facts, registration);
  const open = decideRun(facts) ?? decideUnfinished(facts, stage);
  const timing = decideTiming(facts);
  const isMoveNext = afterSync.includes(stage) && isMoveLater(timing);
  const orchestratorFirst =
    timing === "none" && afterSync.includes(stage) ? decideOrchestrator(facts, stage) : undefined;
  const before = open ?? orchestratorFirst;
  const isOffer = before === undefined && !isMoveNext && offering.includes(stage);
  const { producerAddress, orchestrator } = run ?? state?.last ?? {};
  const offeredAddress = isOffer ? producerAddress : undefined;
  const known: Known = { ...facts, stage, registration, timing, orchestrator, offeredAddress };
  const [needs, title, , formatNext] = stackStages[stage];
  const next = formatNext(commands, known);
  const [duties, own] = [formatDuties(known), formatStage(known, next)];
  // At the end of a migration the duties are the next step.
  const lines = [...(facts.old?.isReleased ? [...own, ...duties] : [...duties, ...own]), ...formatNotes(known)];
  const move: Before = { before: "move", next: moveFirst(commands), step: createUpStep(facts, true) };
  const decided = before ?? (isMoveNext ? move : { next, step: decideOwnStep(known) });
  const isStep = decided.step.kind === "run" && needs === "nothing";
  return {
    stage,
    title,
    needs: isStep ? "step" : needs,
    isAddressOffered: offeredAddress !== undefined,
    lines,
    ...decided,
  };
}

export const createRunStep = (
  command: RunStep["command"],
  stack: string,
  line: string,
  options: Partial<RunStep> = {},
): RunStep => ({ kind: "run", command, stack, line, ...options });

/** Returns `pulumi up`; it is final if it may order a server, move the orchestrator, in either direction, or shut a node down. */
function createUpStep(facts: StackFacts, isCheckedFirst = false): RunStep {
  const { stack, settings, state, lifecycle } = facts;
  const mayOrder = settings?.isServerOrdered && state?.recordedKey === undefined;
  const isFinal = mayOrder || mayMove(facts) || lifecycle === "retiring";
  return createRunStep("up", stack, commandsFor(stack).up, { isFinal, isCheckedFirst });
}

/** True if a run may move the orchestrator, to this host or back. */
const mayMove = ({ settings, state }: StackFacts): boolean =>
  settings?.isMoveConfigured === true && (settings.isRollback || state?.last.orchestrator?.side !== "new");

/** Decides when the orchestrator moves. After a rollback, the operator has to ask for another move. */
function decideTiming({ run, settings, state }: StackFacts): MoveTiming {
  if (run) return run.timing ?? "none";
  const hasMoved = state?.last.orchestrator !== undefined;
  if (!settings?.isMoveConfigured) return hasMoved ? "removed" : "none";
  return hasMoved || settings.isRollback ? "now" : "later";
}

/** True if a later run moves the orchestrator; the wallet comes after that. */
export const isMoveLater = (timing: MoveTiming): boolean => timing === "later" || timing === "unwatched";

const hasBegun = ({ run, state }: StackFacts) => run !== undefined || state?.isBegun === true;

/** Decides whether a run is active, or was cut off. */
function decideRun(facts: StackFacts): Before | undefined {
  const { stack, locks, state } = facts;
  const run = commandsFor(stack);
  const active = locks?.find(({ holder }) => holder === "lives");
  if (active)
    return {
      before: "activeRun",
      next: "nothing to do: a run is active",
      lines: formatActiveRun(stack, active.lock),
      step: { kind: "wait", key: `active ${stack}` },
    };
  const cutOff = takeValue(facts.parts?.orchestrator)?.cutOff;
  if (cutOff) {
    const { resume } = commandsFor(cutOff.stack);
    return {
      before: "noSigner",
      title: formatNoSigner(cutOff),
      needs: "attention",
      next: resume(),
      lines: formatContinueMove(cutOff, resume()),
      step: createRunStep("resume", cutOff.stack, resume(), { isFinal: true }),
    };
  }
  if ((locks ?? []).length === 0 && (state?.pending ?? []).every(({ isRepeated }) => isRepeated)) return undefined;
  return {
    before: "cutOffRun",
    next: `${run.resume()}${locks === undefined ? " continues the last run, unless it is still active" : ""}`,
    lines: formatCutOff(run),
    step: createRunStep("resume", stack, run.resume(), { isFinal: mayMove(facts) }),
  };
}

/** Decides whether an orchestrator that runs on the old host has to move, which comes before the wallet. */
function decideOrchestrator(facts: StackFacts, stage: StackStage): Before | undefined {
  const { stack, old, settings } = facts;
  const address = settings?.oldHost;
  if (address === undefined || takeValue(facts.parts?.orchestrator)?.runsOnOld !== true) return undefined;
  const line = old?.stack ? commandsFor(stack).move(old.stack) : commandsFor("OLD").adopt(address, stack);
  const isEarly = offering.includes(stage) || stage === "unseen";
  return {
    before: "orchestrator",
    next: `${isEarly ? "do not update the wallet yet; " : ""}the orchestrator moves first: ${line}`,
    lines: [
      `Next: move the orchestrator. It runs on the old host (${address}).`,
      ...(isEarly ? ["Change nothing in the wallet until the orchestrator has moved."] : []),
      ...(old?.stack ? [`  ${line}`] : formatAdoption(stack, line)),
    ],
    step: old?.stack ? createRunStep("move", stack, line) : createRunStep("adopt", "OLD", line, { address }),
  };
}

/** Decides whether the last run has to be continued. It comes before all but what only the operator can do. */
function decideUnfinished(facts: StackFacts, stage: StackStage): Before | undefined {
  const { run, state } = facts;
  const isFinished = run !== undefined || state?.last.finished === true || !hasBegun(facts);
  if (isFinished || stage === "tooEarly" || stage === "retiringUnseen") return undefined;
  const commands = commandsFor(facts.stack);
  const isSyncing = state?.wait === undefined ? state?.last.isAwaiting : state.wait.syncedAt === undefined;
  return {
    before: "unfinishedRun",
    next: `${stage === "behind" ? "do not touch the wallet; " : ""}${goOn(commands)}`,
    lines: formatUnfinished(commands, isSyncing === true),
    step: createUpStep(facts),
  };
}

/** Stages whose step is done in the wallet, with this host's address. */
const offering: readonly StackStage[] = ["wallet", "foreign", "wentBack"];
/** Stages of a synced node, in which a run moves the orchestrator. */
const afterSync: readonly StackStage[] = [...offering, "left", "unseen", "registered", "unnoted", "producing"];

function decideActiveStage(facts: StackFacts, registration: Registration | undefined): StackStage {
  const { node, state, locks, run } = facts;
  // A first run that is still active may not have stored anything in the state.
  if (!hasBegun(facts)) return (locks ?? []).length > 0 ? "started" : "notStarted";
  const kind = registration?.kind ?? "unknown";
  if (kind === "tooEarly" && !node?.synced) return "tooEarly";
  // Silent witnesses do not make a registered host wait.
  const isUsed = kind === "registered" || kind === "producing";
  if (node?.synced || (isUsed && node?.reason === "unwitnessed")) {
    if (kind === "producing") return run || state?.last.registration?.producing ? "producing" : "unnoted";
    const wasOurs = registration !== undefined && "wasOurs" in registration && registration.wasOurs;
    if (kind === "earlier") return wasOurs ? "wentBack" : "wallet";
    if (kind === "foreign") return wasOurs ? "left" : "foreign";
    if (kind === "unknown") return "unseen";
    return kind === "unknownPillar" ? kind : "registered";
  }
  const done = facts.facts?.done;
  const wasSynced = state?.wait ? state.wait.syncedAt !== undefined : state?.last.finished;
  if (run || wasSynced || done?.synced !== undefined) return "behind";
  if (done?.deployed !== undefined) return "deployed";
  return done?.packages === undefined ? "started" : "packages";
}

function decideAdoptedStage(facts: StackFacts, registration: Registration | undefined): StackStage {
  if (!hasBegun(facts)) return "toAdopt";
  if (facts.node?.synced) return "adopted";
  return registration?.kind === "tooEarly" ? "adoptedTooEarly" : "adoptedBehind";
}

function decideRetiringStage(facts: StackFacts): StackStage {
  if (!hasBegun(facts)) return "gone";
  const unit = takeValue(facts.parts?.node);
  if (unit === undefined) return "retiringUnseen";
  if (unit.active || !unit.masked) return "retiring";
  const unmet = takeValue(facts.parts?.destroy);
  if (unmet === undefined) return "off";
  return unmet.length === 0 ? "removable" : "unmet";
}

/** Decides the step of a stage whose last run has finished. */
function decideOwnStep(known: Known): JourneyStep {
  const { stage, stack, parts, registration, offeredAddress } = known;
  const [, , way] = stackStages[stage];
  if (way === "stop" || way === "none") return { kind: way };
  if (way === "destroy") return createRunStep("destroy", stack, commandsFor(stack).destroy, { isFinal: true });
  if (way === "up" || (way === "wallet" && offeredAddress === undefined)) {
    const step = createUpStep(known, !hasBegun(known));
    return { ...step, isHarmless: stage === "unnoted" && !step.isFinal };
  }
  const unmet = takeValue(parts?.destroy)?.map(({ kind }) => kind);
  return { kind: "wait", key: `${stage} ${unmet ?? registration?.address}` };
}
