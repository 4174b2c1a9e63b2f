import crypto from "node:crypto";
import type { BuildInfo } from "../../chain/orchestrator";
import { type EventLog, logRefOfInputs, openEventLog, readMoveEvents } from "../../eventLog/eventLog";
import type { MoveEnd } from "../../eventLog/events";
import { assertWhole, headOf } from "../../eventLog/wholeLog";
import { fingerprintOf } from "../../ssh/publicKey";
import { commandsFor } from "../../util/commands";
import { firstLine } from "../../util/firstLine";
import { openHostPair } from "../hosts/hostPair";
import type { MoveInputs } from "../hosts/moveInputs";
import type { Wanted } from "../rules/generation";
import { type SideName, sidesOf } from "../rules/journal";
import { knownOf, unrecordedEnd } from "../rules/known";
import { journalOf, type Looks } from "../rules/sagaLooks";
import { type MoveDeps, MoveRun } from "./moveRun";
import { createMoveActions } from "./moveSteps";
import { type Ending, runSaga, type SagaActions } from "./saga";
import { clientOf } from "./verify";

/** What is kept of a move; no secret. */
export interface MoveOutputs {
  /** The side on which the signer is. */
  readonly holder: SideName;
  readonly why: Ending["why"];
  /** Of the move that brought it there, where one did. */
  readonly generation?: number;
  /** Of getBuildInfo, where it answered. */
  readonly build?: BuildInfo;
  /** ISO 8601. */
  readonly movedAt?: string;
  /** From the stop to the first good getBuildInfo, where one run did both. */
  readonly secondsWithoutSigner?: number;
  /** Hash of the newest line of the record that the run saw. */
  readonly recordHead?: string;
}

/** The move, from wherever it stands to its end. @throws Error in the operator's words */
export async function move(
  inputs: MoveInputs,
  deps: MoveDeps,
  before: Partial<MoveOutputs> = {},
): Promise<MoveOutputs> {
  const log = openEventLog(logRefOfInputs(inputs), deps);
  await assertWhole(log.store, inputs.stack, before.recordHead, inputs.laterThanMove !== undefined);
  const saga: Wanted = {
    move: inputs.move,
    direction: inputs.rollback ? "back" : "forward",
    known: knownOf(await readMoveEvents(log.store), inputs.move, before.generation),
    laterThan: inputs.laterThanMove,
    isFirst: inputs.firstMove,
    hosts: keysOf(inputs),
  };
  const places = {
    old: inputs.old.host.ssh.address,
    new: inputs.new.host.ssh.address,
    services: { old: inputs.old.service, new: inputs.new.service },
    stack: inputs.stack,
  };
  const sides = openHostPair(inputs, crypto.randomBytes(8).toString("hex"), deps);
  let looks: Looks = { old: "outOfSight", new: "outOfSight" };
  const run = new MoveRun(inputs, sides, deps);
  const actions = createMoveActions(run, saga);
  try {
    looks = await sides.look(saga);
    await sides.take(saga, looks);
    // Another run may have gone on until now.
    looks = await sides.look(saga, looks);
    let ending: Ending;
    try {
      ending = await runSaga(saga, { ...actions, record: recorder(log, saga) }, places, looks);
    } finally {
      await actions.end(saga, looks);
    }
    const holds = looks[ending.holder];
    const runsSince = journalOf(holds)?.at;
    const used = commandsFor(inputs.stack).remove("orchestrator.migrateFrom.firstMove");
    if (inputs.firstMove) deps.say(`the word about the first move is used; it would count for a lost record: ${used}`);
    const outputs = await outputsOf(run, ending, runsSince, log);
    return { ...outputs, recordHead: headOf(await log.store.lines()) };
  } catch (error) {
    await log.noteMove(inputs.move, { event: "failed", details: { error: firstLine((error as Error).message) } });
    throw error;
  } finally {
    await sides.drop(saga, looks);
    sides.close();
  }
}

function keysOf({ old, new: fresh }: MoveInputs): Readonly<Record<SideName, string>> {
  return { old: fingerprintOf(old.host.ssh.hostKey), new: fingerprintOf(fresh.host.ssh.hostKey) };
}

/** Writes down that a way begins, and that its target is to be started, with the hosts that it is between. */
export function recorder(log: EventLog, { hosts }: Wanted): SagaActions["record"] {
  return (event, saga) => {
    const { source, target } = sidesOf(saga);
    const { direction, generation = 0 } = saga;
    const details = { direction, generation, source: hosts?.[source] ?? "", target: hosts?.[target] ?? "" };
    return log.addMove(saga.move, { event, details });
  };
}

/**
 * Returns what the engine keeps of a move that ended.
 *
 * @param runsSince ISO 8601, by the journal of the side that holds the key, as this run found it
 */
async function outputsOf(
  { inputs, sides, deps, seen }: MoveRun,
  { holder, why }: Ending,
  runsSince: string | undefined,
  log: EventLog,
): Promise<MoveOutputs> {
  const { verified, stoppedAt, lastBackup, generation = 0 } = seen;
  if (!verified) {
    const build = await clientOf(inputs, sides, holder, deps)
      .buildInfo()
      .catch((error: Error) => {
        deps.say(`the orchestrator of the ${holder} side gives no build information now: ${error.message}`);
        return undefined;
      });
    const outputs = { holder, why, build };
    const untold = unrecordedEnd(await readMoveEvents(log.store), inputs.move, holder);
    if (untold === undefined) return outputs;
    const { direction, generation } = untold;
    const movedAt = runsSince ?? new Date(deps.now()).toISOString();
    const details = { holder, version: build?.version ?? "unknown", movedAt, generation };
    await writeEnd(log, inputs, direction === "back", details);
    return { ...outputs, generation, movedAt };
  }
  const seconds = stoppedAt === undefined ? undefined : secondsWithout(stoppedAt, verified.answeredAt);
  const movedAt = new Date(verified.answeredAt).toISOString();
  const details = {
    holder,
    version: verified.build.version,
    movedAt,
    secondsWithoutSigner: seconds,
    lastBackup: lastBackup?.file,
    generation,
  };
  deps.say(
    `the ${holder} side (${sides.roots[holder].address}) holds the key and signs${seconds === undefined ? "" : `; the bridge was without this signer for ${seconds} s`}`,
  );
  await writeEnd(log, inputs, inputs.rollback, details);
  return {
    holder,
    why,
    generation,
    build: verified.build,
    movedAt,
    secondsWithoutSigner: seconds,
  };
}

/** Writes down the end of a way, by which guards decide. @throws where it can't: the next run writes it then ({@link unrecordedEnd}) */
export async function writeEnd(
  log: EventLog,
  { move, stack }: Pick<MoveInputs, "move" | "stack">,
  isBack: boolean,
  details: MoveEnd,
): Promise<void> {
  await log.addMove(move, { event: isBack ? "rolledBack" : "done", details }).catch(({ message }: Error) => {
    const what = `the signer moved to the ${details.holder} side, which signs; that was not written down`;
    throw new Error(`${what}\n${message}\n  Then: ${commandsFor(stack).up}`);
  });
}

/** The time without a signer in seconds, with tenths, of milliseconds. */
export function secondsWithout(stoppedAt: number, answeredAt: number): number {
  return Math.round((answeredAt - stoppedAt) / 100) / 10;
}
