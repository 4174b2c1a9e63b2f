import { commandsFor } from "../util/commands.ts";
import { takeValue } from "../util/result.ts";
import { createRunStep, type Decision, decideNextStep } from "./decideNextStep.ts";
import type { OrchestratorKind, StackFacts } from "./stackFacts.ts";
import { formatUnreadable } from "./stackStageTexts.ts";

export interface MigrationInput {
  /** Names of the old and the new host's stack. */
  readonly old: string;
  readonly fresh: string;
  /** Undefined if the stack does not exist. */
  readonly oldStack: StackFacts | undefined;
  readonly freshStack: StackFacts | undefined;
}

/** The next step of a migration; after its last one there is `none`. */
export type MigrationStep = Pick<Decision, "step" | "lines" | "before">;

/** The two stacks, and what is next on each alone. */
interface Both extends MigrationInput {
  readonly freshStack: StackFacts;
  readonly next: Decision;
  readonly oldNext: Decision | undefined;
}

/** Kinds of an orchestrator that does not run. */
const restingKinds: readonly OrchestratorKind[] = ["unfenced", "waits", "stopped"];

export function decideMigration(input: MigrationInput): MigrationStep {
  const { old, fresh, freshStack, oldStack } = input;
  if (freshStack === undefined) return run("init", fresh, commandsFor(fresh).init);
  const both = {
    ...input,
    freshStack,
    next: decideNextStep(freshStack),
    oldNext: oldStack && decideNextStep(oldStack),
  };
  const { next, oldNext } = both;
  const open = [next, oldNext].find(
    (each) => each?.before && ["activeRun", "noSigner", "cutOffRun"].includes(each.before),
  );
  if (open) return open;
  if (freshStack.lifecycle !== "active") return stop(migrationTexts.notActive(freshStack.stack, freshStack.lifecycle));
  if (["notStarted", "tooEarly", "unknownPillar"].includes(next.stage) || next.before === "unfinishedRun") return next;
  if (oldNext?.stage === "gone") return { step: { kind: "none" }, lines: migrationTexts.end(old, fresh) };
  const own = next.step.kind === "none" ? undefined : next;
  return decideAdoption(both) ?? decideMove(both) ?? own ?? decideRetirement(both);
}

const stop = (lines: readonly string[]): MigrationStep => ({ step: { kind: "stop" }, lines });
const run = (...step: Parameters<typeof createRunStep>): MigrationStep => ({ step: createRunStep(...step), lines: [] });

function decideAdoption({ old, oldStack, oldNext, freshStack }: Both): MigrationStep | undefined {
  if (oldStack?.state?.last.finished || oldStack?.lifecycle === "retiring") return undefined;
  if (oldStack?.state?.isBegun) return oldNext;
  const address = freshStack.settings?.oldHost;
  const adopt = commandsFor(old).adopt(address ?? "ADDRESS", freshStack.stack);
  return address === undefined
    ? stop(migrationTexts.noOldHost(adopt))
    : run("adopt", old, adopt, { address, isHarmless: true });
}

/** Decides the step of the orchestrator's move, which comes before any change in the wallet. */
function decideMove({ old, oldStack, freshStack, next }: Both): MigrationStep | undefined {
  const { stack, settings, state, parts } = freshStack;
  // After a rollback, a move begins again only if the operator raises `orchestrator.attempt`.
  if (settings?.isRollback || state?.last.orchestrator?.side === "old") return stop(next.lines);
  // A run moves the orchestrator only if the node is synced when the run begins.
  if (next.before === "move" || (settings?.isMoveConfigured && next.stage === "behind")) return next;
  const [key] = settings?.confirmations ?? [];
  if (key) return run("withdraw", stack, commandsFor(stack).remove(key), { key });
  if (settings?.isMoveConfigured || isShutDown(oldStack)) return undefined;
  const there = oldStack?.parts?.orchestrator;
  const kind = takeValue(there)?.kind;
  if (kind === undefined)
    return {
      step: { kind: "wait", key: "old unseen" },
      lines: formatUnreadable(`It is unknown whether the host of ${old} runs an orchestrator`, there),
    };
  if (kind === "none" || kind === "moved") return undefined;
  if (takeValue(parts?.orchestrator)?.kind !== "signs") return run("move", stack, commandsFor(stack).move(old));
  return restingKinds.includes(kind) ? undefined : stop(migrationTexts.twoOrchestrators(old, stack));
}

function isShutDown(facts: StackFacts | undefined): boolean {
  const unit = takeValue(facts?.parts?.node);
  return unit?.masked === true && !unit.active;
}

function hasNeverProduced({ lifecycle, state, parts }: StackFacts): boolean {
  const registration = takeValue(parts?.registration);
  const isElsewhere = registration !== undefined && "wasOurs" in registration && !registration.wasOurs;
  return lifecycle === "active" && state?.last.registration?.registered === false && isElsewhere;
}

function decideRetirement({ old, fresh, oldStack, oldNext }: Both): MigrationStep {
  if (oldStack && hasNeverProduced(oldStack)) return stop(migrationTexts.swapped(old, fresh));
  if (oldNext === undefined || oldStack?.lifecycle !== "retiring")
    return run("retire", old, commandsFor(old).retire(fresh), { isFinal: true });
  if (oldNext.stage !== "retiringUnseen") return oldNext;
  return { ...oldNext, lines: formatUnreadable(`The host of ${old} can't be read now`, oldStack.parts?.node) };
}

/** The sentences of a migration from the stack `old` to the stack `fresh`. */
const migrationTexts = {
  end: (old: string, fresh: string) => [
    `The migration is done: ${old} has no resource any more. The migration's history: ${commandsFor(fresh).report()}`,
    "If the old host is your own machine, it is still on and has its keys: erase it, or power it off.",
    `To see what is left to do on the new host: ${commandsFor(fresh).next}`,
  ],
  notActive: (stack: string, lifecycle: string) => [
    `${stack} is not the new host: its lifecycle is ${lifecycle}.`,
    `Check whether the two stacks are swapped: ${commandsFor(stack).status()}`,
  ],
  noOldHost: (adopt: string) => ["The address of the old host is not configured. Adopt that host:", `  ${adopt}`],
  twoOrchestrators: (old: string, fresh: string) => [
    "An orchestrator runs on both hosts: only one may. See which one signs:",
    ...[old, fresh].map((stack) => `  ${commandsFor(stack).status()}`),
  ],
  swapped: (old: string, fresh: string) => [
    `${fresh} produces, and the host of ${old} was set up by this program and never did. Are the names swapped?`,
    `The old host's comes first: ${commandsFor(old).migrate(fresh)}`,
    `If ${old} is the one to retire: ${commandsFor(old).retire(fresh)}`,
  ],
};
