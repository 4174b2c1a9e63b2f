import { encodeBase64, markOwn, parseJsonWords, type Variables } from "../../ssh/foreign";
import { formatProblem } from "../../util/problem";
import { settleAll } from "../../util/settleAll";
import { takeBackup } from "../backup/backup";
import { resolveBackupPlace } from "../backup/backupPlace";
import { compareManifests, formatDifferences, readManifest, sumManifest } from "../backup/manifest";
import { type BackupContent, readBackup, sendBackup } from "../backup/restoreBackup";
import { findStaleShare } from "../checks/staleShare";
import { checkStoppedState } from "../checks/stoppedState";
import { formatStagingPath } from "../hosts/copier";
import { adaptConfig } from "../rules/adaptConfig";
import type { MoveStep } from "../rules/decideMove";
import type { HostStates } from "../rules/hostStates";
import { assignRoles, type Saga, type WhichHost } from "../rules/journal";
import type { MoveRun, Perform } from "./moveRun";
import { restoreSource, sealTarget } from "./rollbackSteps";
import type { SagaActions } from "./saga";
import { waitForSignings } from "./signings";
import { verify } from "./verify";

/** Time after a file's change in which a host hashes it again instead of using the stored hash (orchestrator/manifest.sh). */
const hashSettleMs = 3100;

const bulk: Perform = async (run, saga, states) => {
  const { source, target } = assignRoles(saga);
  const { sides, copy, copier, deps } = run;
  deps.say(`bulk copy to ${run.nameOf(target)}: ${run.nameOf(source)} holds the key and keeps signing`);
  if (saga.direction === "forward") await run.readStatus(source);
  const identity = run.identity ? { identity: parseJsonWords(run.identity) } : undefined;
  const staged = await sides.step({ side: target, name: "signer_staging", saga, variables: identity }, states);
  if (saga.direction === "back") {
    const variables = markOwn({ receive_into: formatStagingPath(run.inputs, saga) });
    await sides.call({ side: target, name: "signer_copy_local", saga, variables, limitSeconds: 3600 });
  }
  await copier.run(saga, staged, { progress: true });
  // Both hosts hash and flush now, so that after the stop they hash and flush only later changes.
  await Promise.all([deps.sleep(hashSettleMs), copy.flush(saga), run.readAddresses(source, saga, staged)]);
  await copy.list(saga, staged);
  return staged;
};

/** Reads a backup. @throws Error in the operator's words if its key share is not of the bridge's present key */
async function readFreshBackup(run: MoveRun, file: string): Promise<BackupContent> {
  const bridge = await run.assertBridge("refusing to start an orchestrator from a backup now");
  const content = await readBackup(file, resolveBackupPlace(run.inputs.backup));
  const stale = findStaleShare(content, bridge, run.inputs);
  if (stale !== undefined) throw new Error(formatProblem({ ...stale, what: `${stale.what}: ${file}` }));
  return content;
}

/** Asserts that an unpacked directory equals the backup; a config.json that was adapted may differ. */
async function assertUnpacked(run: MoveRun, target: WhichHost, { files }: BackupContent, base: string): Promise<void> {
  const isInPlace = base === run.inputs[target].directory;
  const there = await readManifest(run.sides.roots[target], { base, paths: ["."] });
  const differences = compareManifests(files, there, (path) => isInPlace && path === "config.json");
  if (differences.length === 0) return;
  throw new Error(
    formatProblem({
      what: `the files unpacked on ${run.nameOf(target)} differ from the backup`,
      found: formatDifferences(differences),
      needed: "the same bytes, owner and mode. Is that host's disk failing (dmesg)?",
      next: isInPlace && "Or was another backup unpacked there before? Then give that one with --backup",
    }),
  );
}

/** Unpacks a backup on the target, instead of a copy from the source, which is lost and fenced. */
const unpack: Perform = async (run, saga, states) => {
  const { inputs, sides, deps } = run;
  const { target } = assignRoles(saga);
  const file = inputs.restoreFrom ?? "";
  const settings = resolveBackupPlace(inputs.backup);
  await run.assertNodeSynced();
  const content = await readFreshBackup(run, file);
  deps.say(`restoring ${run.nameOf(target)} from ${file}`);
  const staged = await sides.step({ side: target, name: "signer_staging", saga }, states);
  const { bytes } = sumManifest(content.files);
  const receive_into = formatStagingPath(inputs, saga);
  const call = (name: string, variables: Variables) =>
    sides.call({
      side: target,
      name,
      saga,
      variables: { ...variables, ...markOwn({ receive_into }) },
      limitSeconds: 3600,
    });
  await sendBackup(file, settings, (offset, piece) => call("signer_receive", markOwn({ offset, piece, bytes })));
  await call("signer_unpack", markOwn({ inside: content.inside }));
  await assertUnpacked(run, target, content, receive_into);
  await run.copy.flush(saga);
  return arrive(run, saga, staged);
};

const stop: Perform = async (run, saga, states) => {
  const { source } = assignRoles(saga);
  const { deps, inputs } = run;
  if (saga.direction === "forward" && states[source]?.active) {
    await waitForSignings(() => run.readStatus(source), deps);
    await run.assertNodeSynced();
    await run.assertBridgeLets(source);
  }
  deps.say(`stopping the orchestrator of ${run.nameOf(source)}, which still holds the key`);
  run.seen.stoppedAt = deps.now();
  run.copy.forget();
  const stopped = await run.sides.step({ side: source, name: "signer_stop", saga, limitSeconds: 240 }, states);
  run.stoppedConfig = await run.readConfig(source, saga, inputs[source].directory);
  const fault = checkStoppedState(run.stoppedConfig, saga, inputs);
  if (fault !== undefined) throw new Error(fault);
  return stopped;
};

/** Takes the last backup and copies at the same time: both only read the stopped source. */
const backup: Perform = async (run, saga, states) => {
  const { source } = assignRoles(saga);
  const { inputs, deps } = run;
  const place = { base: inputs[source].directory, paths: ["config.json", "tss"] };
  const what = { label: "last", place, changing: [], isJson: (path: string) => path.endsWith(".json") };
  const [lastBackup] = await settleAll([
    takeBackup(run.sides.roots[source], what, resolveBackupPlace(inputs.backup), deps),
    run.copy.make(saga, states),
  ]);
  run.seen.lastBackup = lastBackup;
  return states;
};

const fence: Perform = (run, saga, states) => {
  const { source } = assignRoles(saga);
  run.deps.say(`fencing ${run.nameOf(source)}: stopped, masked, its key store moved aside`);
  return run.sides.step({ side: source, name: "signer_fence", saga }, states);
};

const copy: Perform = async (run, saga, states) => {
  const { target } = assignRoles(saga);
  const { sides } = run;
  const staged = run.copy.isMade() ? states : await sides.step({ side: target, name: "signer_staging", saga }, states);
  await run.copy.prove(saga, staged);
  return arrive(run, saga, states);
};

const arrive: Perform = async (run, saga, states) => {
  const { source, target } = assignRoles(saga);
  const { inputs, sides } = run;
  const call = { side: target, name: "signer_arrive", saga };
  const ownAddresses = await run.readAddresses(source, saga, states);
  // `stoppedConfig` was read after the stop, so the proved copy has the same file.
  const text = run.stoppedConfig ?? (await run.readConfig(target, saga, formatStagingPath(inputs, saga)));
  if (text === undefined) return sides.step({ ...call, variables: markOwn({ config: "" }) }, states);
  const addresses = [sides.roots[source].address, inputs.copy.address, ...ownAddresses];
  const { config, changed } = adaptConfig(text, inputs[target].directory, addresses);
  for (const each of changed) {
    const here = each.replace(/^(\[.*\]|[^:]*)/, "127.0.0.1");
    run.deps.say(`${target} host: config.json: node address ${each} becomes ${here}`);
  }
  const secret = encodeBase64(config);
  return sides.step({ ...call, variables: { config: secret }, secrets: [secret] }, states);
};

const start: Perform = async (run, saga, states) => {
  const { source, target } = assignRoles(saga);
  const { inputs, sides, deps, seen } = run;
  // Check again: a killed run may have unpacked the backup days ago. Not after a start, which may change the key share.
  const isRestore = saga.direction === "forward" && states[source]?.journal?.stage !== "fenced";
  if (inputs.restoreFrom !== undefined && isRestore && states[target]?.journal?.stage !== "starting")
    await assertUnpacked(run, target, await readFreshBackup(run, inputs.restoreFrom), inputs[target].directory);
  deps.say(
    `starting the orchestrator of ${run.nameOf(target)}: from here on it holds the key and may sign; ${run.nameOf(source)} is fenced`,
  );
  const startedAt = deps.now();
  seen.generation = saga.generation;
  const started = await sides.step({ side: target, name: "signer_start", saga }, states);
  const expected = run.identity ?? started[target]?.journal?.identity ?? null;
  seen.verified = await verify({ ...run, side: target, saga }, expected, startedAt);
  return sides.step({ side: target, name: "signer_settle", saga, variables: markOwn({ stage: "running" }) }, started);
};

const close: Perform = (run, saga, states) => {
  const variables = markOwn({ stage: "moved" });
  return run.sides.step({ side: assignRoles(saga).source, name: "signer_settle", saga, variables }, states);
};

const steps: Readonly<Record<MoveStep, Perform>> = {
  unpack,
  bulk,
  stop,
  backup,
  fence,
  copy,
  arrive,
  start,
  close,
  seal: sealTarget,
  restore: restoreSource,
};

export interface MoveActions extends Omit<SagaActions, "record"> {
  /** Removes the copy's key and permission, also those of a killed run. */
  end(saga: Saga, states: HostStates): Promise<void>;
}

export function createMoveActions(run: MoveRun, wanted: Saga): MoveActions {
  const { sides, deps, copier } = run;
  return {
    look: () => sides.look(wanted),
    perform: (step, saga, states) => steps[step](run, saga, states),
    say: deps.say,
    signal: deps.signal,
    isWatched: () => deps.isWatched,
    end: async (saga, states) => {
      for (const line of await copier.end(saga, states)) deps.say(line);
    },
  };
}
