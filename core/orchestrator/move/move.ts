import type { BuildInfo } from "../../chain/orchestrator.ts";
import { type EventLog, openEventLog, parseMoveEvents, readMoveEvents } from "../../eventLog/eventLog.ts";
import type { MoveEnd } from "../../eventLog/events.ts";
import { assertWhole, findLastHash } from "../../eventLog/logIntegrity.ts";
import { computeFingerprint } from "../../ssh/publicKey.ts";
import { commandsFor } from "../../util/commands.ts";
import { takeFirstLine } from "../../util/printable.ts";
import { ProblemError } from "../../util/problem.ts";
import { HostPair } from "../hosts/hostPair.ts";
import { createFenceCheck } from "../hosts/lostHostFence.ts";
import type { MoveInputs } from "../hosts/moveInputs.ts";
import { confirmFor, listConfirmations, listNewConfirmations } from "../rules/confirmations.ts";
import { createLeg, findHighestGeneration, type Wanted } from "../rules/generation.ts";
import type { HostStates, WhichHost } from "../rules/journal.ts";
import { findMissingEnd, findRivalStart, summarizeMoves } from "../rules/moveHistory.ts";
import { createMoveActions } from "./moveActions.ts";
import { type MoveDeps, MoveRun } from "./moveRun.ts";
import { type Ending, runSaga, type SagaActions } from "./saga.ts";
import { assertOwnNode } from "./verify.ts";

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
  /** Duration from the first stop to the first good getBuildInfo; absent if nobody knows when the stop was. */
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
  const { stack, pillar, backups, old, new: fresh, lostLine } = inputs;
  const log = openEventLog({ directory: backups.directory, stack, pillar }, deps);
  const confirm = (key: string, value: string | number) =>
    log.addMove(inputs.move, { event: "confirmed", details: { key, value } });
  await assertWhole({ store: log.store, stack, headInState: before.recordHead, lostLine }, (digits) =>
    confirm("lostLine", digits),
  );
  const lines = await log.store.readLines();
  const events = parseMoveEvents(lines, log.store);
  const hosts = { old: computeFingerprint(old.host.ssh.hostKey), new: computeFingerprint(fresh.host.ssh.hostKey) };
  const known = summarizeMoves(events, inputs.move, before.generation);
  const saga: Wanted = {
    move: inputs.move,
    direction: inputs.rollback ? "back" : "forward",
    known,
    laterThan: inputs.laterThanMove,
    isFirst: inputs.firstMove,
    isRestore: inputs.restoreFrom !== undefined,
    hosts,
  };
  const services = { old: old.service, new: fresh.service };
  const addresses = { old: old.host.ssh.address, new: fresh.host.ssh.address, services, stack };
  const sides = new HostPair(inputs, deps);
  const run = new MoveRun(confirmFor(inputs, known, commandsFor(stack)), sides, deps);
  run.isFenced = createFenceCheck(inputs, log.store, events, deps);
  run.wanted = saga;
  let states: HostStates = { old: undefined, new: undefined };
  try {
    states = await sides.look();
    states = await sides.lock(states);
    for (const { key, value } of listNewConfirmations(inputs, known, findHighestGeneration(states)))
      await confirm(key, value);
    const actions = { ...createMoveActions(run), record: createRecorder(log, saga, new Set(lines)) };
    const ending = await runSaga(saga, actions, addresses, states).finally(() => run.copier.end(states));
    for (const key of listConfirmations(inputs))
      deps.say(`the move has ended, and needs no confirmation any more: ${commandsFor(stack).remove(key)}`);
    const outputs = await createOutputs(run, ending, states[ending.holder]?.journal?.at, log);
    if (outputs.holder === "new" && outputs.build) await assertOwnNode(run, states);
    return { ...outputs, recordHead: findLastHash(await log.store.readLines()) };
  } catch (error) {
    const details = {
      error: takeFirstLine((error as Error).message),
      secondsWithoutSigner: run.secondsUntilRestored,
    };
    await log.addMove(inputs.move, { event: "failed", details }).catch(({ message }: Error) => deps.say(message));
    throw error;
  } finally {
    sides.close();
  }
}

/**
 * Returns the function that logs a saga's begin and start, with its hosts' keys. Of two runs that start one orchestrator
 * on two hosts, the second one fails. @param known lines that the run had read: a rival's may stand before them
 */
export function createRecorder(log: EventLog, { hosts }: Wanted, known: ReadonlySet<string>): SagaActions["record"] {
  return async (event, saga) => {
    const details = createLeg(saga, hosts);
    const assertAlone = async () => {
      const news = event === "starting" ? (await log.store.readLines()).filter((line) => !known.has(line)) : [];
      const rival = findRivalStart(parseMoveEvents(news, log.store), saga.move.pillar, details.target);
      if (rival === undefined) return;
      throw new ProblemError({
        what: "another run starts this orchestrator on another host: nothing is started here",
        found: `a start on the host with the key ${rival}, in the event log`,
        needed: "find out which host signs before anything else: systemctl is-active orchestrator",
      });
    };
    await assertAlone();
    await log.addMove(saga.move, { event, details });
    await assertAlone();
  };
}

/** Returns the outputs of a move that ended, and logs its end. @param runsSince ISO 8601, by the holder's journal */
async function createOutputs(run: MoveRun, { holder, why }: Ending, runsSince: string | undefined, log: EventLog) {
  const { inputs, deps } = run;
  const { verified, lastBackup } = run;
  const missing = verified ? undefined : findMissingEnd(await readMoveEvents(log.store), inputs.move, holder);
  const build = verified
    ? verified.build
    : await run
        .client(holder)
        .buildInfo()
        .catch(({ message }: Error) => {
          deps.say(`the orchestrator of the ${holder} host gives no build information now: ${message}`);
          return undefined;
        });
  if (!verified && !missing) return { holder, why, build };
  const { direction, generation } = missing ?? {
    direction: inputs.rollback ? "back" : "forward",
    generation: run.generation ?? 0,
  };
  const answeredAt = verified && new Date(verified.answeredAt).toISOString();
  const movedAt = answeredAt ?? runsSince ?? new Date(deps.now()).toISOString();
  const seconds = verified && run.countSecondsWithoutSigner(verified.answeredAt);
  if (verified) deps.say(`${run.nameOf(holder)} holds the key and signs${formatGap(seconds)}`);
  await writeEnd(log, inputs, direction === "back", {
    holder,
    version: build?.version ?? "unknown",
    movedAt,
    secondsWithoutSigner: seconds,
    lastBackup: lastBackup?.file,
    generation,
  });
  return { holder, why, generation, build, movedAt, secondsWithoutSigner: seconds };
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

/** Formats the notification of a successful move; undefined if nothing moved, or it was reported before. */
export function formatMoveNotice(
  inputs: Pick<MoveInputs, "old" | "new">,
  before: Partial<MoveOutputs>,
  { holder, movedAt, secondsWithoutSigner }: MoveOutputs,
): string | undefined {
  if (before.holder === holder || movedAt === undefined) return undefined;
  const { address } = inputs[holder].host.ssh;
  return `the orchestrator signs on ${address} now, the ${holder} host${formatGap(secondsWithoutSigner)}`;
}

function formatGap(seconds: number | undefined): string {
  return seconds === undefined ? "" : `; the bridge was without this orchestrator for ${seconds} s`;
}

/** Formats the notification of a failed move; the run itself says where the orchestrator is. */
export function formatMoveFailure({ message }: Error, stack: string): string {
  return `the orchestrator's move ended in an error: ${takeFirstLine(message)}. Where the orchestrator is: ${commandsFor(stack).status()}`;
}
