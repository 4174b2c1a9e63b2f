import { firstLine } from "../../util/firstLine";
import type { MoveDecision, MoveStep, RunMemory } from "../rules/decide";
import { decideNext, lineBefore, type Wanted, withLine } from "../rules/generation";
import type { Saga } from "../rules/journal";
import { notWatched, stepFailed } from "../rules/messages";
import { obstacleText } from "../rules/obstacles";
import type { Looks } from "../rules/sagaLooks";
import { type Places, whereItIs } from "../rules/whereItIs";

/** The two hosts, as the saga acts on them. */
export interface SagaActions {
  /** Both hosts as they are now; waits a while for one that boots. @throws what trying again can't mend */
  look(): Promise<Looks>;
  /** Keeps a line about a way in the record, for good. @throws where it can't be written: its step is not done then */
  record(line: "begun" | "starting", saga: Saga): Promise<void>;
  /** Does one step, whole, safe to be done again from any point. @returns both hosts as they are after it */
  perform(step: MoveStep, saga: Saga, looks: Looks): Promise<Looks>;
  say(line: string): void;
  /** Aborted once nobody waits for the result: the engine was killed. */
  readonly signal?: AbortSignal;
  /** False where nobody watches this run: it does no step of a move, and says where the signer is. */
  isWatched(): boolean;
}

/** What an error of a step carries where another run took over: nothing may be done or undone any more. */
export interface TakenError extends Error {
  taken: true;
}

/** What an error carries where the connection broke under a step: what it did is read, then it is done again. */
export interface BrokenError extends Error {
  broken: true;
}

export type Ending = Extract<MoveDecision, { do: "done" }>;

/** A step whose connection broke is done again that often. */
const tries = 3;
/** More than any way there, back and there again has. */
const mostSteps = 60;

/**
 * Moves the signer the wanted way, from wherever both hosts' journals say that it is, to its end; or, where a step
 * fails before the target was started, back to where it was.
 *
 * @param before what a look found just now: one at a host that is gone takes its time
 * @returns how it ended
 * @throws Error that says what failed, on which side the key is, and the commands to go on
 */
export async function runSaga(first: Wanted, actions: SagaActions, places: Places, before?: Looks): Promise<Ending> {
  let wanted = first;
  let memory: RunMemory = { bulkCopied: false, stopped: false, backedUp: false, failed: false };
  let failure: string | undefined;
  const broken = new Map<MoveStep, number>();
  let looks = before ?? (await actions.look());
  let seen = looks;
  for (let count = 0; count < mostSteps; count += 1) {
    if (actions.signal?.aborted)
      throw new Error("the engine is gone: the move stops here; the next run goes on from here");
    const decision = decideNext(wanted, looks, memory);
    seen = lastSeen(seen, looks);
    if (decision.do === "done") {
      if (failure !== undefined) throw new Error(stepFailed(failure, seen, places));
      return decision;
    }
    if (decision.do === "stop here") {
      const text = obstacleText(decision.why, decision.saga, seen, places);
      throw new Error(failure === undefined ? text : `${failure}\n${text}`);
    }
    const { do: step, saga } = decision;
    if (!actions.isWatched()) throw new Error(notWatched(seen, places));
    try {
      const line = lineBefore(step, saga, wanted.known);
      if (line) await actions.record(line, saga);
      if (line && wanted.known) wanted = { ...wanted, known: withLine(wanted.known, line, saga) };
      looks = await actions.perform(step, saga, looks);
      memory = remember(memory, step);
    } catch (error) {
      const { message, taken, broken: isBroken } = error as Partial<TakenError & BrokenError>;
      if (taken) throw error;
      const again = (broken.get(step) ?? 0) + 1;
      broken.set(step, again);
      if (isBroken && again < tries) actions.say(`${message}: looking again at what was done`);
      else if (failure !== undefined)
        throw new Error(
          stepFailed(`${failure}\nand the way back failed: ${message}`, lastSeen(seen, await actions.look()), places),
        );
      else {
        failure = `${message}`;
        memory = { ...memory, failed: true };
        actions.say(`failed: ${firstLine(failure)}`);
      }
      looks = await actions.look();
    }
  }
  throw new Error(`the move comes to no end after ${mostSteps} steps\n${whereItIs(seen, places)}`);
}

/** What is known of a host that is out of sight is what was seen last. */
function lastSeen(before: Looks, now: Looks): Looks {
  return {
    old: now.old === "outOfSight" ? before.old : now.old,
    new: now.new === "outOfSight" ? before.new : now.new,
  };
}

function remember(memory: RunMemory, step: MoveStep): RunMemory {
  if (step === "bulk") return { ...memory, bulkCopied: true };
  if (step === "stop") return { ...memory, stopped: true, backedUp: false };
  if (step === "backup") return { ...memory, backedUp: true };
  // It ran again: what was known of its stop is worth nothing.
  if (step === "restore") return { ...memory, bulkCopied: false, stopped: false, backedUp: false };
  return memory;
}
