import crypto from "node:crypto";
import type { BuildInfo } from "../chain/orchestrator";
import { addToRecord } from "../eventLog/moveEvents";
import { placeOf } from "../util/resolvePath";
import type { Looks } from "./decide";
import { openSides } from "./hostPair";
import type { Saga, SideName } from "./journal";
import { createMoveHands } from "./moveActions";
import type { MoveInputs } from "./moveInputs";
import { type Ending, runSaga } from "./saga";
import { clientOf, type VerifyWorld } from "./verify";

/** What is kept of a move; no secret. */
export interface MoveOutputs {
  /** The side on which the signer is. */
  readonly holder: SideName;
  readonly why: Ending["why"];
  /** Of getBuildInfo, where it answered. */
  readonly build?: BuildInfo;
  /** ISO 8601. */
  readonly movedAt?: string;
  /** From the stop to the first good getBuildInfo, where one run did both. */
  readonly secondsWithoutSigner?: number;
}

/** The move, from wherever it stands to its end. @throws Error in the operator's words */
export async function move(asked: MoveInputs, world: VerifyWorld, isWanted: () => boolean): Promise<MoveOutputs> {
  const inputs = { ...asked, backup: placed(asked.backup) };
  const saga: Saga = { move: inputs.move, direction: inputs.rollback ? "back" : "forward" };
  const places = {
    ...{ old: inputs.old.host.ssh.address, new: inputs.new.host.ssh.address },
    ...{ services: { old: inputs.old.service, new: inputs.new.service }, stack: inputs.stack },
  };
  const sides = openSides(inputs, crypto.randomBytes(8).toString("hex"), world);
  let looks: Looks = { old: "outOfSight", new: "outOfSight" };
  const hands = createMoveHands(inputs, sides, saga, world, isWanted);
  try {
    looks = await sides.look(saga);
    await sides.take(saga, looks);
    // Another run may have gone on until now.
    looks = await sides.look(saga, looks);
    let ending: Ending;
    try {
      ending = await runSaga(saga, hands, places, looks);
    } finally {
      await hands.end(saga, looks);
    }
    return await outputsOf(inputs, ending, hands.seen, sides, world);
  } catch (error) {
    note(inputs, world, "failed", { error: (error as Error).message.split("\n")[0] });
    throw error;
  } finally {
    await sides.drop(saga, looks);
    sides.close();
  }
}

async function outputsOf(
  inputs: MoveInputs,
  { holder, why }: Ending,
  { verified, stoppedAt, lastBackup }: ReturnType<typeof createMoveHands>["seen"],
  sides: ReturnType<typeof openSides>,
  world: VerifyWorld,
): Promise<MoveOutputs> {
  if (!verified) {
    const build = await clientOf(inputs, sides, holder, world)
      .buildInfo()
      .catch((error: Error) => {
        world.say(`the orchestrator of the ${holder} side gives no build information now: ${error.message}`);
        return undefined;
      });
    return { holder, why, ...(build ? { build } : {}) };
  }
  const seconds = stoppedAt === undefined ? undefined : Math.round((verified.answeredAt - stoppedAt) / 100) / 10;
  const movedAt = new Date(verified.answeredAt).toISOString();
  const details = {
    ...{ holder, version: verified.build.version, movedAt, secondsWithoutSigner: seconds },
    ...{ lastBackup: lastBackup?.file },
  };
  note(inputs, world, inputs.rollback ? "rolledBack" : "done", details);
  world.say(
    `the ${holder} side (${sides.roots[holder].address}) holds the key and signs${seconds === undefined ? "" : `; the bridge was without this signer for ${seconds} s`}`,
  );
  return {
    holder,
    why,
    build: verified.build,
    movedAt,
    ...(seconds === undefined ? {} : { secondsWithoutSigner: seconds }),
  };
}

function note(inputs: MoveInputs, world: VerifyWorld, event: string, details: Record<string, unknown>): void {
  try {
    addToRecord(inputs.backup.directory, {
      at: new Date(world.now()).toISOString(),
      move: inputs.move,
      event,
      details,
    });
  } catch (error) {
    world.say(`the record of the move could not be written: ${(error as Error).message}`);
  }
}

/** As configured: relative to the project, which is the working directory here. */
function placed({ directory, identityFile, move }: MoveInputs["backup"]): MoveInputs["backup"] {
  const identity = identityFile === undefined ? {} : { identityFile: placeOf(identityFile) };
  return { directory: placeOf(directory), move, ...identity };
}
