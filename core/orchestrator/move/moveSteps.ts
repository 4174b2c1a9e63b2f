import { base64, jsonWords, own } from "../../ssh/foreign";
import { allEnded } from "../../util/allEnded";
import { takeBackup } from "../backup/backup";
import { placed } from "../backup/backupPlace";
import { stoppedFault } from "../checks/stoppedState";
import { stagingOf } from "../hosts/copyKey";
import type { MoveStep } from "../rules/decide";
import { type Saga, sidesOf } from "../rules/journal";
import { movedConfig } from "../rules/movedConfig";
import { journalOf, type Looks } from "../rules/sagaLooks";
import type { MoveRun } from "./moveRun";
import type { SagaActions } from "./saga";
import { waitForSignings } from "./signings";
import { verify } from "./verify";

/** Does one step, whole, safe to be done again from any point. @returns both hosts as they are after it */
type Perform = (run: MoveRun, saga: Saga, looks: Looks) => Promise<Looks>;

/** Milliseconds for which a host does not trust the hash of a file that changed (orchestrator/manifest.sh). */
const hashSettleMs = 3100;

const bulk: Perform = async (run, saga, looks) => {
  const { source, target } = sidesOf(saga);
  const { sides, copy, copier, deps } = run;
  deps.say(`bulk copy to ${run.nameOf(target)}: ${run.nameOf(source)} holds the key and signs on`);
  if (saga.direction === "forward") await run.readStatus(source);
  const known = run.identity ? { identity: jsonWords(run.identity) } : undefined;
  const after = await sides.step(target, "signer_staging", saga, looks, known);
  if (saga.direction === "back")
    await sides.call(target, "signer_copy_local", saga, own({ receive_into: stagingOf(run.inputs, saga) }), {
      limitSeconds: 3600,
    });
  await copier.run(saga, after, { progress: true });
  // Both sides hash what is there now, so that after the stop only what changed is hashed, and written to the disk.
  await Promise.all([deps.sleep(hashSettleMs), copy.flush(saga), run.readAddresses(source, saga, after)]);
  await copy.list(saga, after);
  return after;
};

const stop: Perform = async (run, saga, looks) => {
  const { source } = sidesOf(saga);
  const { deps, inputs } = run;
  const look = looks[source];
  if (saga.direction === "forward" && look !== "outOfSight" && look.active) {
    await waitForSignings(() => run.readStatus(source), deps);
    await run.assertNodeSynced();
    await run.assertBridgeLets(source);
  }
  deps.say(`stopping ${run.nameOf(source)}, which still holds the key`);
  run.seen.stoppedAt = deps.now();
  run.copy.forget();
  const stopped = await run.sides.step(source, "signer_stop", saga, looks, {}, { limitSeconds: 240 });
  run.stoppedConfig = await run.readConfig(source, saga, inputs[source].directory);
  const fault = stoppedFault(run.stoppedConfig, saga, inputs);
  if (fault !== undefined) throw new Error(fault);
  return stopped;
};

/** Takes the last backup and copies, at once: both only read the source, and nobody signs now. */
const backup: Perform = async (run, saga, looks) => {
  const { source } = sidesOf(saga);
  const { inputs, deps } = run;
  const place = { base: inputs[source].directory, paths: ["config.json", "tss"] };
  const what = { label: "last", place, changing: [], isJson: (path: string) => path.endsWith(".json") };
  const [lastBackup] = await allEnded([
    takeBackup(run.sides.roots[source], what, placed(inputs.backup), deps),
    run.copy.make(saga, looks),
  ]);
  run.seen.lastBackup = lastBackup;
  return looks;
};

const fence: Perform = (run, saga, looks) => {
  const { source } = sidesOf(saga);
  run.deps.say(`fencing ${run.nameOf(source)}: stopped, masked, its key store moved aside`);
  return run.sides.step(source, "signer_fence", saga, looks);
};

const copy: Perform = async (run, saga, looks) => {
  const { target } = sidesOf(saga);
  const staged = run.copy.isMade() ? looks : await run.sides.step(target, "signer_staging", saga, looks);
  await run.copy.prove(saga, staged);
  return arrive(run, saga, looks);
};

const arrive: Perform = async (run, saga, looks) => {
  const { source, target } = sidesOf(saga);
  const { inputs, sides } = run;
  const ownAddresses = await run.readAddresses(source, saga, looks);
  // The config that this run read at the stop was copied and compared.
  const text = run.stoppedConfig ?? (await run.readConfig(target, saga, stagingOf(inputs, saga)));
  if (text === undefined) return sides.step(target, "signer_arrive", saga, looks, own({ config: "" }));
  const addresses = [sides.roots[source].address, inputs.copy.address, ...ownAddresses];
  const { config, changed } = movedConfig(text, inputs[target].directory, addresses);
  for (const each of changed) {
    const here = each.replace(/^(\[.*\]|[^:]*)/, "127.0.0.1");
    run.deps.say(`${target} side: config.json: node address ${each} becomes ${here}`);
  }
  const secret = base64(config);
  return sides.step(target, "signer_arrive", saga, looks, { config: secret }, { secrets: [secret] });
};

const start: Perform = async (run, saga, looks) => {
  const { source, target } = sidesOf(saga);
  const { sides, deps, seen } = run;
  deps.say(
    `starting ${run.nameOf(target)}: from here on it holds the key and may sign; ${run.nameOf(source)} is fenced`,
  );
  const startedAt = deps.now();
  seen.startedAt = startedAt;
  seen.generation = saga.generation;
  const started = await sides.step(target, "signer_start", saga, looks);
  const expected = run.identity ?? journalOf(started[target])?.identity ?? null;
  seen.verified = await verify({ ...run, side: target, saga }, expected, startedAt);
  return sides.step(target, "signer_settle", saga, started, own({ stage: "running" }));
};

const close: Perform = (run, saga, looks) =>
  run.sides.step(sidesOf(saga).source, "signer_settle", saga, looks, own({ stage: "moved" }));

const seal: Perform = (run, saga, looks) => {
  const { target } = sidesOf(saga);
  run.deps.say(`going back: making sure that nothing starts on ${run.nameOf(target)}`);
  return run.sides.step(target, "signer_seal", saga, looks, {}, { limitSeconds: 240 });
};

const restore: Perform = async (run, saga, looks) => {
  const { source } = sidesOf(saga);
  run.deps.say(`going back: starting ${run.nameOf(source)}, which holds the key`);
  const startedAt = run.deps.now();
  const started = await run.sides.step(source, "signer_restore", saga, looks);
  await verify({ ...run, side: source, saga }, run.identity ?? null, startedAt);
  return run.sides.step(source, "signer_settle", saga, started, own({ stage: "restored" }));
};

const steps: Readonly<Record<MoveStep, Perform>> = {
  bulk,
  stop,
  backup,
  fence,
  copy,
  arrive,
  start,
  close,
  seal,
  restore,
};

export interface MoveActions extends Omit<SagaActions, "record"> {
  /** Takes away what this run, or a killed one, left of the copy's right. */
  end(saga: Saga, looks: Looks): Promise<void>;
}

/** Returns the steps of a move as its saga performs them. */
export function createMoveActions(run: MoveRun, wanted: Saga): MoveActions {
  const { sides, deps, copier } = run;
  return {
    look: () => sides.look(wanted),
    perform: (step, saga, looks) => steps[step](run, saga, looks),
    say: deps.say,
    signal: deps.signal,
    isWatched: () => deps.isWatched,
    end: async (saga, looks) => {
      for (const line of await copier.end(saga, looks)) deps.say(line);
    },
  };
}
