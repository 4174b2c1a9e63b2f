import crypto from "node:crypto";
import type { BuildInfo } from "../chain/orchestrator";
import { type EventLog, openEventLog, readMoveEvents } from "../eventLog/eventLog";
import { fingerprintOf } from "../ssh/publicKey";
import { firstLine } from "../util/firstLine";
import { given } from "../util/given";
import type { Wanted } from "./generation";
import { openHostPair } from "./hostPair";
import { type SideName, sidesOf } from "./journal";
import { knownOf, unrecordedEnd } from "./known";
import { createMoveActions, type MoveDeps, type MoveObservations } from "./moveActions";
import type { MoveInputs } from "./moveInputs";
import { type Ending, runSaga, type SagaActions } from "./saga";
import type { Looks } from "./sagaLooks";
import { clientOf, type VerifyDeps } from "./verify";

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
}

/** The move, from wherever it stands to its end. @throws Error in the operator's words */
export async function move(
  inputs: MoveInputs,
  deps: MoveDeps,
  isWanted: () => boolean,
  before: Partial<MoveOutputs> = {},
): Promise<MoveOutputs> {
  const log = openEventLog({ ...inputs, directory: inputs.backup.directory }, deps);
  const saga: Wanted = {
    move: inputs.move,
    direction: inputs.rollback ? "back" : "forward",
    known: knownOf(await readMoveEvents(log.store), inputs.move, before.generation),
    laterThan: inputs.laterThanMove,
    hosts: keysOf(inputs),
  };
  const places = {
    ...{ old: inputs.old.host.ssh.address, new: inputs.new.host.ssh.address },
    ...{ services: { old: inputs.old.service, new: inputs.new.service }, stack: inputs.stack },
  };
  const sides = openHostPair(inputs, crypto.randomBytes(8).toString("hex"), deps);
  let looks: Looks = { old: "outOfSight", new: "outOfSight" };
  const actions = createMoveActions(inputs, sides, saga, deps, isWanted);
  try {
    looks = await sides.look(saga);
    await sides.take(saga, looks);
    // Another run may have gone on until now.
    looks = await sides.look(saga, looks);
    let ending: Ending;
    let generation = 0;
    try {
      ending = await runSaga(
        saga,
        numbering(actions, saga, log, (number) => (generation = number)),
        places,
        looks,
      );
    } finally {
      await actions.end(saga, looks);
    }
    const holds = looks[ending.holder];
    const runsSince = holds === "outOfSight" ? undefined : holds.journal?.at;
    return await outputsOf(inputs, ending, { ...actions.seen, generation, runsSince }, sides, deps, log);
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

/** Writes down that a way begins, and that it starts its target, before a host does: a disk that is set back later forgets it. */
export function numbering(
  actions: SagaActions,
  { hosts }: Wanted,
  log: EventLog,
  numbered: (generation: number) => void,
): SagaActions {
  return {
    ...actions,
    perform: async (step, saga, looks) => {
      const { source, target } = sidesOf(saga);
      const { direction, generation = 0 } = saga;
      const details = { direction, generation, source: hosts?.[source] ?? "", target: hosts?.[target] ?? "" };
      numbered(generation);
      if (step === "bulk") await log.addMove(saga.move, { event: "begun", details });
      if (step === "start") await log.noteMove(saga.move, { event: "starting", details });
      return actions.perform(step, saga, looks);
    },
  };
}

/** What one run saw of a move that ended. */
interface Ended extends MoveObservations {
  readonly generation: number;
  /** ISO 8601, by the journal of the side that holds the key, as this run found it. */
  readonly runsSince: string | undefined;
}

async function outputsOf(
  inputs: MoveInputs,
  { holder, why }: Ending,
  { verified, stoppedAt, lastBackup, generation, runsSince }: Ended,
  sides: ReturnType<typeof openHostPair>,
  deps: VerifyDeps,
  log: EventLog,
): Promise<MoveOutputs> {
  if (!verified) {
    const build = await clientOf(inputs, sides, holder, deps)
      .buildInfo()
      .catch((error: Error) => {
        deps.say(`the orchestrator of the ${holder} side gives no build information now: ${error.message}`);
        return undefined;
      });
    const outputs = { holder, why, ...(build ? { build } : {}) };
    const untold = unrecordedEnd(await readMoveEvents(log.store), inputs.move, holder);
    if (untold === undefined) return outputs;
    const { direction, generation } = untold;
    const movedAt = runsSince ?? new Date(deps.now()).toISOString();
    const details = { holder, version: build?.version ?? "unknown", movedAt, generation };
    await log.noteMove(inputs.move, { event: direction === "back" ? "rolledBack" : "done", details });
    return { ...outputs, generation, movedAt };
  }
  const seconds = stoppedAt === undefined ? undefined : secondsWithout(stoppedAt, verified.answeredAt);
  const movedAt = new Date(verified.answeredAt).toISOString();
  const details = {
    ...{ holder, version: verified.build.version, movedAt, secondsWithoutSigner: seconds },
    ...{ lastBackup: lastBackup?.file, generation },
  };
  await log.noteMove(inputs.move, { event: inputs.rollback ? "rolledBack" : "done", details });
  deps.say(
    `the ${holder} side (${sides.roots[holder].address}) holds the key and signs${seconds === undefined ? "" : `; the bridge was without this signer for ${seconds} s`}`,
  );
  return {
    holder,
    why,
    generation,
    build: verified.build,
    movedAt,
    ...given({ secondsWithoutSigner: seconds }),
  };
}

/** The time without a signer in seconds, with tenths, of milliseconds (pure). */
export function secondsWithout(stoppedAt: number, answeredAt: number): number {
  return Math.round((answeredAt - stoppedAt) / 100) / 10;
}
