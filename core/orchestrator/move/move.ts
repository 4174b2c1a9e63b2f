import crypto from "node:crypto";
import type { BuildInfo } from "../../chain/orchestrator";
import { createLogRef, type EventLog, openEventLog, readMoveEvents } from "../../eventLog/eventLog";
import type { MoveEnd } from "../../eventLog/events";
import { assertWhole, findLastHash } from "../../eventLog/logIntegrity";
import { computeFingerprint } from "../../ssh/publicKey";
import { commandsFor } from "../../util/commands";
import { takeFirstLine } from "../../util/firstLine";
import { formatProblem } from "../../util/problem";
import { openHostPair } from "../hosts/hostPair";
import type { MoveInputs } from "../hosts/moveInputs";
import type { Wanted } from "../rules/generation";
import type { HostStates } from "../rules/hostStates";
import { assignRoles, formatHost, type WhichHost } from "../rules/journal";
import { findFence, findMissingEnd, findRivalStart, summarizeMoves } from "../rules/moveHistory";
import { type MoveDeps, MoveRun } from "./moveRun";
import { createMoveActions } from "./moveSteps";
import { type Ending, runSaga, type SagaActions } from "./saga";
import { createClient } from "./verify";

/** Outputs in the state; no secret. */
export interface MoveOutputs {
  readonly holder: WhichHost;
  readonly why: Ending["why"];
  /** Generation of the move that brought the orchestrator to `holder`. */
  readonly generation?: number;
  /** Absent if the orchestrator did not answer. */
  readonly build?: BuildInfo;
  /** When the orchestrator answered there; ISO 8601. */
  readonly movedAt?: string;
  /** Duration from the stop to the first good getBuildInfo, if one run did both. */
  readonly secondsWithoutSigner?: number;
  /** Hash of the newest line of the event log. */
  readonly recordHead?: string;
}

/** Moves the orchestrator from its current stage to the end. @throws Error in the operator's words */
export async function move(
  inputs: MoveInputs,
  deps: MoveDeps,
  before: Partial<MoveOutputs> = {},
): Promise<MoveOutputs> {
  const log = openEventLog(createLogRef(inputs), deps);
  await assertWhole(log.store, inputs.stack, before.recordHead, inputs.laterThanMove !== undefined);
  const events = await readMoveEvents(log.store);
  const hosts = keysOf(inputs);
  const saga: Wanted = {
    move: inputs.move,
    direction: inputs.rollback ? "back" : "forward",
    known: summarizeMoves(events, inputs.move, before.generation),
    laterThan: inputs.laterThanMove,
    isFirst: inputs.firstMove,
    isRestore: inputs.restoreFrom !== undefined && findFence(events, inputs.move, hosts.old, deps.now()) !== undefined,
    hosts,
  };
  const places = {
    old: inputs.old.host.ssh.address,
    new: inputs.new.host.ssh.address,
    services: { old: inputs.old.service, new: inputs.new.service },
    stack: inputs.stack,
  };
  const sides = openHostPair(inputs, crypto.randomBytes(8).toString("hex"), deps);
  let states: HostStates = { old: undefined, new: undefined };
  const run = new MoveRun(inputs, sides, deps);
  const actions = createMoveActions(run, saga);
  try {
    states = await sides.look(saga);
    await sides.takeLocks(saga, states);
    // Read both hosts again: another run may have changed them until it dropped the locks.
    states = await sides.look(saga, states);
    let ending: Ending;
    try {
      ending = await runSaga(saga, { ...actions, record: createRecorder(log, saga, events.length) }, places, states);
    } finally {
      await actions.end(saga, states);
    }
    const runsSince = states[ending.holder]?.journal?.at;
    const used = commandsFor(inputs.stack).remove("orchestrator.migrateFrom.firstMove");
    if (inputs.firstMove)
      deps.say(
        `the confirmation of a first move was used. Remove it, or it would confirm one again if the event log gets lost: ${used}`,
      );
    const outputs = await createOutputs(run, ending, runsSince, log);
    return { ...outputs, recordHead: findLastHash(await log.store.readLines()) };
  } catch (error) {
    await log.noteMove(inputs.move, { event: "failed", details: { error: takeFirstLine((error as Error).message) } });
    throw error;
  } finally {
    await sides.dropLocks(saga, states);
    sides.close();
  }
}

function keysOf({ old, new: fresh }: MoveInputs): Readonly<Record<WhichHost, string>> {
  return { old: computeFingerprint(old.host.ssh.hostKey), new: computeFingerprint(fresh.host.ssh.hostKey) };
}

/**
 * Returns the function that logs a saga's begin and start, with its hosts' keys. Of two runs that start one orchestrator
 * on two hosts, the second one fails. @param known number of the events that the run had read
 */
export function createRecorder(log: EventLog, { hosts }: Wanted, known = 0): SagaActions["record"] {
  return async (event, saga) => {
    const { source, target } = assignRoles(saga);
    const { direction, generation = 0 } = saga;
    const details = { direction, generation, source: hosts?.[source] ?? "", target: hosts?.[target] ?? "" };
    const assertAlone = async () => {
      // A log that can't be read can't be written either, and addMove reports that.
      const news = event === "starting" ? await readMoveEvents(log.store).catch(() => []) : [];
      const rival = findRivalStart(news.slice(known), saga.move.pillar, details.target);
      if (rival !== undefined) throw new Error(formatRival(rival));
    };
    await assertAlone();
    await log.addMove(saga.move, { event, details });
    await assertAlone();
  };
}

function formatRival(rival: string): string {
  return formatProblem({
    what: "another run starts this orchestrator on another host: nothing is started here",
    found: `a start on the host with the key ${rival}, in the event log`,
    needed: "find out which host signs before anything else: systemctl is-active orchestrator",
  });
}

/** Returns the outputs of a move that ended, and logs its end. @param runsSince ISO 8601, by the holder's journal */
async function createOutputs(
  { inputs, sides, deps, seen }: MoveRun,
  { holder, why }: Ending,
  runsSince: string | undefined,
  log: EventLog,
): Promise<MoveOutputs> {
  const { verified, stoppedAt, lastBackup, generation = 0 } = seen;
  if (!verified) {
    const build = await createClient(inputs, sides, holder, deps)
      .buildInfo()
      .catch((error: Error) => {
        deps.say(`the orchestrator of the ${holder} host gives no build information now: ${error.message}`);
        return undefined;
      });
    const outputs = { holder, why, build };
    const unrecorded = findMissingEnd(await readMoveEvents(log.store), inputs.move, holder);
    if (unrecorded === undefined) return outputs;
    const { direction, generation } = unrecorded;
    const movedAt = runsSince ?? new Date(deps.now()).toISOString();
    const details = { holder, version: build?.version ?? "unknown", movedAt, generation };
    await writeEnd(log, inputs, direction === "back", details);
    return { ...outputs, generation, movedAt };
  }
  const seconds = stoppedAt === undefined ? undefined : computeGapSeconds(stoppedAt, verified.answeredAt);
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
    `${formatHost(holder, sides.roots[holder].address)} holds the key and signs${seconds === undefined ? "" : `; the bridge was without this orchestrator for ${seconds} s`}`,
  );
  await writeEnd(log, inputs, inputs.rollback, details);
  return { holder, why, generation, build: verified.build, movedAt, secondsWithoutSigner: seconds };
}

/** Logs the end of a saga, for the guards. @throws if that fails; the next run then logs it ({@link findMissingEnd}) */
export async function writeEnd(
  log: EventLog,
  { move, stack }: Pick<MoveInputs, "move" | "stack">,
  isBack: boolean,
  details: MoveEnd,
): Promise<void> {
  await log.addMove(move, { event: isBack ? "rolledBack" : "done", details }).catch(({ message }: Error) => {
    const what = `the orchestrator moved to the ${details.holder} host, which signs; that could not be logged`;
    throw new Error(`${what}\n${message}\n  Then: ${commandsFor(stack).up}`);
  });
}

/** Returns the gap in seconds, with tenths. @param stoppedAt in milliseconds, as answeredAt */
export function computeGapSeconds(stoppedAt: number, answeredAt: number): number {
  return Math.round((answeredAt - stoppedAt) / 100) / 10;
}
