import { encodeBase64, markOwn, parseFileName, parseJsonWords } from "../../ssh/foreign.ts";
import { commandsFor } from "../../util/commands.ts";
import { ProblemError } from "../../util/problem.ts";
import { settleAll } from "../../util/settleAll.ts";
import { takeBackup } from "../backup/backup.ts";
import { compareManifests, formatDifferences, readManifest, sumManifest } from "../backup/manifest.ts";
import { type BackupContent, readBackup, sendBackup } from "../backup/restoreBackup.ts";
import { findStaleShare } from "../checks/bridgeState.ts";
import { checkStoppedState } from "../checks/stoppedState.ts";
import { formatStagingPath } from "../hosts/copier.ts";
import { adaptConfig } from "../rules/adaptConfig.ts";
import { assignRoles, findOpenSince, type HostStates, type Saga, type WhichHost } from "../rules/journal.ts";
import type { Stage } from "../rules/journalStages.ts";
import type { MoveStep } from "../rules/moveSteps.ts";
import { findForeignBackup } from "../rules/obstacles.ts";
import type { MoveRun } from "./moveRun.ts";
import type { SagaActions } from "./saga.ts";
import { waitForSignings } from "./signings.ts";
import { verify } from "./verify.ts";

/** Reads a backup. @throws Error in the operator's words if its key share is old, or its host may still sign */
async function readFreshBackup(run: MoveRun, file: string): Promise<BackupContent> {
  const bridge = await run.assertBridge("refusing to start an orchestrator from a backup now");
  const content = await readBackup(file, run.backupRef());
  const stale = findStaleShare(content, bridge, run.inputs);
  if (stale !== undefined) throw new ProblemError({ ...stale, what: `${stale.what}: ${file}` });
  const foreign = findForeignBackup(content, run.inputs.old.host.ssh, run.wanted);
  if (foreign !== undefined) throw new ProblemError(foreign);
  return content;
}

/** Asserts that an unpacked directory equals the backup; a config.json that was adapted may differ. */
async function assertUnpacked(run: MoveRun, target: WhichHost, { files }: BackupContent, base: string): Promise<void> {
  const isInPlace = base === run.inputs[target].directory;
  const there = await readManifest(run.sides.roots[target], { base, paths: ["."] });
  const differences = compareManifests(files, there, (path) => isInPlace && path === "config.json");
  if (differences.length === 0) return;
  throw new ProblemError({
    what: `the files unpacked on ${run.nameOf(target)} differ from the backup`,
    found: formatDifferences(differences),
    needed: "the same bytes, owner and mode. Is that host's disk failing (dmesg)?",
    next: isInPlace && "Or was another backup unpacked there before? Then give that one with --backup",
  });
}

/** Returns the call that makes the target's staging directory. */
const createStaging = (saga: Saga) =>
  ({ side: assignRoles(saga).target, name: "orchestrator_staging", saga, enter: ["staging"] }) as const;

/** Unpacks a backup into the target's staging directory, instead of a copy from the source, which is lost and fenced. */
async function unpackBackup(run: MoveRun, saga: Saga, states: HostStates): Promise<HostStates> {
  const { inputs, sides, copier } = run;
  const { target } = assignRoles(saga);
  const file = inputs.restoreFrom ?? "";
  await run.assertNodeSynced();
  const content = await readFreshBackup(run, file);
  run.deps.say(`restoring ${run.nameOf(target)} from ${file}`);
  const staged = await sides.step(createStaging(saga), states);
  const { bytes } = sumManifest(content.files);
  const key = await sendBackup(file, run.backupRef(), (offset, piece) =>
    copier.callTarget("orchestrator_receive", saga, staged, markOwn({ offset, piece, bytes })),
  );
  await copier.callTarget("orchestrator_unpack", saga, staged, markOwn({ inside: content.inside, archive_key: key }));
  await assertUnpacked(run, target, content, formatStagingPath(inputs, saga));
  await copier.callTarget("orchestrator_flush", saga, staged);
  return staged;
}

/** Does a whole step; can be repeated. @returns the state of both hosts after it */
type Perform = (run: MoveRun, saga: Saga, states: HostStates) => Promise<HostStates>;

/** Time after a file's change in which a host hashes it again instead of using the stored hash (orchestrator/manifest.sh). */
const hashSettleMs = 3100;

const bulk: Perform = async (run, saga, states) => {
  const { source, target } = assignRoles(saga);
  const { sides, copier, deps } = run;
  deps.say(`bulk copy to ${run.nameOf(target)}: ${run.nameOf(source)} holds the key and keeps signing`);
  if (saga.direction === "forward") await run.readStatus(source);
  // Checked, because a journal with any other text could not be read again.
  const changes = run.identity && { identity: JSON.parse(parseJsonWords(run.identity)) as typeof run.identity };
  const staged = await sides.step({ ...createStaging(saga), changes }, states);
  if (saga.direction === "back") await copier.callTarget("orchestrator_copy_local", saga, staged);
  await copier.run(saga, staged, { progress: true });
  // Both hosts hash and flush now, so that after the stop they hash and flush only later changes.
  await Promise.all([
    deps.sleep(hashSettleMs),
    copier.callTarget("orchestrator_flush", saga, staged),
    run.readAddresses(source, staged),
  ]);
  await copier.list(saga, staged);
  return staged;
};

const stop: Perform = async (run, saga, states) => {
  const { source } = assignRoles(saga);
  const { deps, inputs } = run;
  if (saga.direction === "forward" && states[source]?.active) {
    await waitForSignings(() => run.readStatus(source), deps);
    await run.assertNodeSynced();
    await run.assertBridge(`refusing to stop the orchestrator of ${run.nameOf(source)} now`);
  }
  const { journal } = states[source] ?? {};
  const isStopping = journal?.stage === "stopping" && journal.generation === saga.generation;
  const changes = isStopping ? {} : await chooseFencedName(run, saga);
  const { resume } = commandsFor(inputs.stack);
  deps.say(`stopping the orchestrator of ${run.nameOf(source)}, which still holds the key: from now on no host signs`);
  deps.say(`do not interrupt this run. If it is cut off, continue at once, it takes seconds: ${resume()}`);
  run.stoppedAt = (isStopping ? findOpenSince(journal) : undefined) ?? deps.now();
  run.copier.forget();
  const call = { side: source, name: "orchestrator_stop", saga, limitSeconds: 240 } as const;
  const stopped = await run.sides.step({ ...call, enter: ["stopping"], changes }, states);
  run.stoppedConfig = await run.readConfig(source, inputs[source].directory);
  const fault = checkStoppedState(run.stoppedConfig, saga, inputs);
  if (fault !== undefined) throw new Error(fault);
  return stopped;
};

/**
 * Returns the name of the fenced key store, which tells where the orchestrator went. Chosen while the orchestrator still
 * signs, because config.json may name a store that no move can rename.
 */
async function chooseFencedName({ sides, deps, inputs }: MoveRun, saga: Saga) {
  const { source: side, target } = assignRoles(saga);
  const store = (await sides.call({ side, name: "orchestrator_store" })).trim();
  const now = new Date(deps.now()).toISOString().replace(/[:-]|\.\d+/g, "");
  return { keyStore: parseFileName(`${store}.moved-to-${inputs[target].host.ssh.address}-${now}`) };
}

/** Takes the last backup and copies at the same time: both only read the stopped source. */
const backup: Perform = async (run, saga, states) => {
  const { source } = assignRoles(saga);
  const files = { base: run.inputs[source].directory, paths: ["config.json", "tss"] };
  const what = { label: "last", files, changing: [], isJson: (path: string) => path.endsWith(".json") };
  const [lastBackup] = await settleAll([
    takeBackup(run.sides.roots[source], what, run.backupRef(), run.deps),
    run.copier.make(saga, states),
  ]);
  run.lastBackup = lastBackup;
  return states;
};

const copy: Perform = async (run, saga, states) => {
  const { sides, copier } = run;
  const staged = copier.copied ? states : await sides.step(createStaging(saga), states);
  await copier.prove(saga, staged);
  return arrive(run, saga, staged);
};

const arrive: Perform = async (run, saga, states) => {
  const { source, target } = assignRoles(saga);
  const { inputs, sides } = run;
  // Two stages in one call: no round trip while nobody signs.
  const call = { side: target, name: "orchestrator_arrive", saga, enter: ["staged", "switched"] } as const;
  const addresses = await run.readAddresses(source, states);
  // `stoppedConfig` was read after the stop, so the proved copy has the same file.
  const text = run.stoppedConfig ?? (await run.readConfig(target, formatStagingPath(inputs, saga)));
  if (text === undefined) return sides.step({ ...call, variables: markOwn({ config: "" }) }, states);
  const { config, changed } = adaptConfig(text, inputs[target].directory, addresses);
  for (const change of changed) run.deps.say(`${target} host: config.json: node address ${change}`);
  const secret = encodeBase64(config);
  return sides.step({ ...call, variables: { config: secret }, secrets: [secret] }, states);
};

/** Asserts that a restored orchestrator may be started: that is logged as a start, also if this run dies. */
async function assertStart(run: MoveRun, saga: Saga, states: HostStates): Promise<void> {
  const { source, target: side } = assignRoles(saga);
  const { inputs } = run;
  // After a start the key share may differ from the backup's.
  if (!saga.isRestore || inputs.restoreFrom === undefined || states[side]?.journal?.stage === "starting") return;
  // A killed run may have unpacked another backup days ago.
  await assertUnpacked(run, side, await readFreshBackup(run, inputs.restoreFrom), inputs[side].directory);
  // Looks at the lost host once more: it may have come back while the backup was checked.
  if (await run.isFenced(await run.sides.look())) return;
  throw new Error(
    `the fence of ${run.nameOf(source)} has ended: the orchestrator of ${run.nameOf(side)} is not started`,
  );
}

const start: Perform = async (run, saga, states) => {
  const { source, target: side } = assignRoles(saga);
  run.stoppedAt ??= findOpenSince(states[source]?.journal);
  run.deps.say(
    `starting the orchestrator of ${run.nameOf(side)}: from here on it holds the key and may sign; ${run.nameOf(source)} is fenced`,
  );
  run.generation = saga.generation;
  const startedAt = run.deps.now();
  const started = await run.sides.step({ side, name: "orchestrator_start", saga, enter: ["starting"] }, states);
  const expected = run.identity ?? started[side]?.journal?.identity ?? null;
  run.verified = await verify({ run, side, saga, expected, startedAt });
  return run.sides.step(settle(side, saga, "running"), started);
};

/** Starts the source again and verifies it: a rollback's last step. */
const restore: Perform = async (run, saga, states) => {
  const { source: side } = assignRoles(saga);
  run.deps.say(`going back: starting the orchestrator of ${run.nameOf(side)}, which holds the key`);
  run.stoppedAt ??= findOpenSince(states[side]?.journal);
  const startedAt = run.deps.now();
  const started = await run.sides.step({ side, name: "orchestrator_restore", saga, enter: ["restoring"] }, states);
  const { answeredAt } = await verify({ run, side, saga, expected: run.identity ?? null, startedAt });
  run.secondsUntilRestored = run.countSecondsWithoutSigner(answeredAt);
  return run.sides.step(settle(side, saga, "restored"), started);
};

/** Returns the call that writes a saga's last stage on a host. */
const settle = (side: WhichHost, saga: Saga, stage: Stage) => ({
  side,
  saga,
  name: "orchestrator_settle",
  enter: [stage],
  variables: markOwn({ enable: stage === "running" }),
});

const steps: Readonly<Record<MoveStep, Perform>> = {
  unpack: async (run, saga, states) => {
    await arrive(run, saga, await unpackBackup(run, saga, states));
    // The lost host may have come back meanwhile.
    return run.sides.look();
  },
  bulk,
  stop,
  backup,
  fence: (run, saga, states) => {
    const { source: side } = assignRoles(saga);
    run.deps.say(`fencing ${run.nameOf(side)}: stopped, masked, its key store moved aside`);
    return run.sides.step({ side, name: "orchestrator_fence", saga, enter: ["fenced"] }, states);
  },
  copy,
  arrive,
  start,
  close: (run, saga, states) => run.sides.step(settle(assignRoles(saga).source, saga, "moved"), states),
  // A rollback begins here: from now on the target can start nothing.
  seal: (run, saga, states) => {
    const { target: side } = assignRoles(saga);
    run.deps.say(`going back: making sure that nothing starts on ${run.nameOf(side)}`);
    const call = { side, name: "orchestrator_seal", saga, limitSeconds: 240 } as const;
    return run.sides.step({ ...call, enter: ["abandoned"] }, states);
  },
  restore,
};

export function createMoveActions(run: MoveRun): Omit<SagaActions, "record"> {
  return {
    ...run.deps,
    look: () => run.sides.look(),
    check: async (step, saga, states) => {
      if (step === "start") await assertStart(run, saga, states);
    },
    perform: (step, saga, states) => steps[step](run, saga, states),
    isFenced: (states) => run.isFenced(states),
  };
}
