import { markOwn } from "../../ssh/foreign";
import { createProblemError } from "../../util/problem";
import { compareManifests, formatDifferences, readManifest, sumManifest } from "../backup/manifest";
import { type BackupContent, readBackup, sendBackup } from "../backup/restoreBackup";
import { findStaleShare } from "../checks/bridgeState";
import { formatStagingPath } from "../hosts/copier";
import type { HostStates } from "../rules/hostStates";
import { assignRoles, type Saga, type WhichHost } from "../rules/journal";
import type { MoveRun } from "./moveRun";

/** Reads a backup. @throws Error in the operator's words if its key share is not of the bridge's present key */
async function readFreshBackup(run: MoveRun, file: string): Promise<BackupContent> {
  const bridge = await run.assertBridge("refusing to start an orchestrator from a backup now");
  const content = await readBackup(file, run.backupPlace());
  const stale = findStaleShare(content, bridge, run.inputs);
  if (stale !== undefined) throw createProblemError({ ...stale, what: `${stale.what}: ${file}` });
  return content;
}

/** Asserts that an unpacked directory equals the backup; a config.json that was adapted may differ. */
async function assertUnpacked(run: MoveRun, target: WhichHost, { files }: BackupContent, base: string): Promise<void> {
  const isInPlace = base === run.inputs[target].directory;
  const there = await readManifest(run.sides.roots[target], { base, paths: ["."] });
  const differences = compareManifests(files, there, (path) => isInPlace && path === "config.json");
  if (differences.length === 0) return;
  throw createProblemError({
    what: `the files unpacked on ${run.nameOf(target)} differ from the backup`,
    found: formatDifferences(differences),
    needed: "the same bytes, owner and mode. Is that host's disk failing (dmesg)?",
    next: isInPlace && "Or was another backup unpacked there before? Then give that one with --backup",
  });
}

/** Asserts before the start that the target has what the given backup has: a killed run may have unpacked it days ago. */
export async function assertStillFresh(run: MoveRun, target: WhichHost, file: string): Promise<void> {
  await assertUnpacked(run, target, await readFreshBackup(run, file), run.inputs[target].directory);
}

/** Unpacks a backup into the target's staging directory, instead of a copy from the source, which is lost and fenced. */
export async function unpackBackup(run: MoveRun, saga: Saga, states: HostStates): Promise<HostStates> {
  const { inputs, sides, copier } = run;
  const { target } = assignRoles(saga);
  const file = inputs.restoreFrom ?? "";
  await run.assertNodeSynced();
  const content = await readFreshBackup(run, file);
  run.deps.say(`restoring ${run.nameOf(target)} from ${file}`);
  const staged = await sides.step({ side: target, name: "signer_staging", saga }, states);
  const { bytes } = sumManifest(content.files);
  await sendBackup(file, run.backupPlace(), (offset, piece) =>
    copier.callTarget("signer_receive", saga, markOwn({ offset, piece, bytes })),
  );
  await copier.callTarget("signer_unpack", saga, markOwn({ inside: content.inside }));
  await assertUnpacked(run, target, content, formatStagingPath(inputs, saga));
  await copier.flush(saga);
  return staged;
}
