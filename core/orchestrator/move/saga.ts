import { isBroken } from "../../host/rootPair.ts";
import { commandsFor } from "../../util/commands.ts";
import { takeFirstLine } from "../../util/printable.ts";
import { hasKind } from "../../util/problem.ts";
import { formatUnattendedRefusal } from "../../util/unattended.ts";
import { applyEvent, createLeg, decideEvent, decideNext, type Wanted } from "../rules/generation.ts";
import type { HostStates, Saga } from "../rules/journal.ts";
import { describeKeyHolder, type HostAddresses } from "../rules/keyHolder.ts";
import { freshRun, type MoveDecision, type MoveStep, type RunMemory } from "../rules/moveSteps.ts";
import { formatObstacle } from "../rules/obstacles.ts";

export interface SagaDeps {
  say(line: string): void;
  /** Aborted when the engine is killed: then nobody waits for the result. */
  readonly signal?: AbortSignal;
  /** False in an unattended run (core/util/unattended.ts), which does no step and reports where the orchestrator is. */
  readonly isWatched: boolean;
}

export interface SagaActions extends SagaDeps {
  /** Reads both hosts; waits while one may be rebooting. @throws Error if a retry can't help */
  look(): Promise<HostStates>;
  /** True if the old host does not answer, and is lost and fenced now. If it answers, its fence ends here. */
  isFenced(states: HostStates): Promise<boolean>;
  /** Checks what may still refuse a step whose event is then logged. @throws Error if so */
  check(step: MoveStep, saga: Saga, states: HostStates): Promise<void>;
  /** Logs an event about a saga. @throws Error if that fails; the step is then not done */
  record(line: "begun" | "starting", saga: Saga): Promise<void>;
  /** Does a whole step; can be repeated. @returns the state of both hosts after it */
  perform(step: MoveStep, saga: Saga, states: HostStates): Promise<HostStates>;
}

export type Ending = Extract<MoveDecision, { do: "done" }>;

const memoryAfter: Partial<Record<MoveStep, Partial<RunMemory>>> = {
  bulk: { bulkCopied: true },
  stop: { stopped: true, backedUp: false },
  backup: { backedUp: true },
  restore: { bulkCopied: false, stopped: false, backedUp: false },
};

const maxAttempts = 3;
/** More steps than a move forward, back and forward again has. */
const maxSteps = 60;

/**
 * Moves the orchestrator in the wanted direction, from the stage in both hosts' journals to the end. If a step fails
 * before the target was started, rolls back. @param before both hosts as just read, because reading takes long if a
 * host is gone @throws Error that says what failed, which host has the key, and the next command
 */
export async function runSaga(first: Wanted, actions: SagaActions, addresses: HostAddresses, before?: HostStates) {
  let wanted = first;
  let memory = freshRun;
  let failure: string | undefined;
  const attempts = new Map<MoveStep, number>();
  let states = before ?? (await actions.look());
  let lastStates = states;
  for (let count = 0; count < maxSteps; count += 1) {
    if (actions.signal?.aborted)
      throw new Error("the engine is gone: the move stops at this step; the next run continues");
    memory = { ...memory, isFenced: await actions.isFenced(states) };
    const decision = decideNext(wanted, states, memory);
    lastStates = keepLast(lastStates, states);
    if (decision.do === "done") {
      if (failure !== undefined) throw new Error(formatStepFailure(failure, lastStates, addresses));
      return decision;
    }
    if (decision.do === "stop here") {
      const text = formatObstacle(decision.why, decision.saga, lastStates, addresses);
      throw new Error(failure === undefined ? text : `${failure}\n${text}`);
    }
    const { do: step, saga } = decision;
    if (!actions.isWatched) {
      const where = describeKeyHolder(lastStates, addresses);
      throw new Error(formatUnattendedRefusal("move the orchestrator", "up", addresses.stack, where));
    }
    try {
      await actions.check(step, saga, states);
      const line = decideEvent(step, saga, wanted.known);
      if (line) await actions.record(line, saga);
      if (line && wanted.known)
        wanted = { ...wanted, known: applyEvent(wanted.known, line, saga.move, createLeg(saga, wanted.hosts)) };
      states = await actions.perform(step, saga, states);
      memory = { ...memory, ...memoryAfter[step] };
    } catch (error) {
      const { message } = error as Error;
      // This run may do and undo nothing any more.
      if (hasKind(error, "anotherRun")) throw error;
      const attempt = (attempts.get(step) ?? 0) + 1;
      attempts.set(step, attempt);
      if (isBroken(error) && attempt < maxAttempts)
        actions.say(`${message}: reading both hosts again, to see what was done`);
      else if (failure !== undefined) {
        const text = `${failure}\nand the rollback failed: ${message}`;
        throw new Error(formatStepFailure(text, keepLast(lastStates, await actions.look()), addresses));
      } else {
        failure = `${message}`;
        memory = { ...memory, failed: true };
        actions.say(`failed: ${takeFirstLine(failure)}`);
      }
      states = await actions.look();
    }
  }
  throw new Error(`the move did not end after ${maxSteps} steps\n${describeKeyHolder(lastStates, addresses)}`);
}

/** Formats a step's failure before its target was started. */
function formatStepFailure(failure: string, states: HostStates, addresses: HostAddresses): string {
  const next = `  Fix what is said above, then: ${commandsFor(addresses.stack).up}`;
  return [failure, describeKeyHolder(states, addresses), next].join("\n");
}

function keepLast(before: HostStates, now: HostStates): HostStates {
  return { old: now.old ?? before.old, new: now.new ?? before.new };
}
