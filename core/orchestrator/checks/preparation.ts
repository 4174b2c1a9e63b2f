import { appendEvent, findLastMoveEvent, isMoveOver, readMoveEvents } from "../../eventLog/eventLog.ts";
import type { Backup, Prepared } from "../../eventLog/events.ts";
import { isSameMove, type MoveId } from "../../eventLog/moveId.ts";
import { hasShareForKey, isKeyShare } from "../../host/shareFileName.ts";
import { openStore } from "../../store/openStore.ts";
import type { Teller } from "../../util/clock.ts";
import { takeValue } from "../../util/result.ts";
import { type BackupSource, isBackupKept, takeBackup } from "../backup/backup.ts";
import { endFence } from "../hosts/lostHostFence.ts";
import type { MovePaths, SecureOptions } from "../hosts/moveInputs.ts";
import { bothSides } from "../rules/journal.ts";
import { lookUpStage } from "../rules/journalStages.ts";
import { findMoveProblems, formatMoveFaults, formatSurvey, isAnswering } from "./prerequisites.ts";
import {
  type ChainReaders,
  createRequirements,
  type MoveSurvey,
  type MoveSurveyDeps,
  type NewHost,
  type OldHost,
  type Requirements,
  surveyBoth,
} from "./survey.ts";

/** Returns the files of a whole backup (docs/specification.md, 1.2, step 2). */
export function findWholeBackup(label: string, { directory, nodeDirectory }: MovePaths): BackupSource {
  const [signer = "", node = ""] = [directory, nodeDirectory].map((file) => file.replace(/^\/+/, ""));
  return {
    label,
    files: { base: "/", paths: [signer, `${node}/wallet/producer`, `${node}/config.json`] },
    // A running orchestrator writes these all the time. They are logs or can be rebuilt (docs/chain.md, Orchestrator).
    changing: ["logs", "events", "queues"].map((part) => `${signer}/${part}`),
    isJson: (file) => file === `${signer}/config.json` || (file.startsWith(`${signer}/`) && isKeyShare(file)),
  };
}

/**
 * Checks everything that a move needs, reports all problems together, and takes the first backup. Does nothing if the
 * move has ended, or its proved backup is kept. If it has begun, takes the backup without checks, because the journals
 * decide how it continues (docs/architecture.md, The move of the orchestrator is one resource). @throws Error with
 * every problem found, or with the problem of the backup
 */
export async function secureOrchestrator(options: SecureOptions, deps: Teller & MoveSurveyDeps): Promise<Prepared> {
  const { move, old } = options;
  const { roots } = deps;
  const store = openStore(options.backups.directory);
  const events = await readMoveEvents(store);
  const recorded = findLastMoveEvent(events, move, "secured")?.details ?? {};
  if (isMoveOver(events, move)) return recorded;
  const kept = recorded.backup && (await isBackupKept(store, recorded.backup)) ? recorded.backup : undefined;
  const wanted = await createRequirements(options, roots, store);
  if (kept && (await hasPresentShare(kept, wanted, deps))) return recorded;

  deps.say(`orchestrator: checking ${roots.old.address} and ${roots.new.address} before anything is touched`);
  const survey = await surveyBoth(wanted, deps);
  if (isAnswering(survey.old)) await endFence(store, move, roots.old, deps.now());
  const begun = findBegin(survey, move);
  if (begun) {
    deps.say(`orchestrator: this move has begun already (journal on the ${begun}); continuing it`);
    if (kept) return recorded;
    if ("problem" in survey.old || survey.old.value.facts.directory !== "there") {
      deps.say("orchestrator: no first backup was found on this machine, and the old host can't give one");
      return {};
    }
  } else {
    const faults = findMoveProblems(survey, wanted);
    if (faults.length > 0) throw new Error(formatMoveFaults(faults, wanted));
    for (const line of formatSurvey(survey, wanted)) deps.say(`orchestrator: ${line}`);
  }
  if (options.restoreFrom !== undefined) return {};
  const ref = { ...options.backups, move };
  const backup = await takeBackup(roots.old, findWholeBackup("first", old), ref, deps).catch((error: Error) => {
    throw new Error(`${error.message}\n  Then: ${wanted.run.up}`);
  });
  const { build, identity } = takeValue(survey.old) ?? {};
  const secured = { backup, oldVersion: takeValue(build)?.version, oldIdentity: takeValue(identity) };
  await appendEvent(store, { at: new Date(deps.now()).toISOString(), move, event: "secured", details: secured });
  return secured;
}

/** Returns false if the chain shows that the backup's key share is of an earlier key than the bridge's present one. */
async function hasPresentShare({ keyShare }: Backup, { noKeyShare }: Requirements, { readBridge }: ChainReaders) {
  const bridge = noKeyShare.isGiven ? undefined : await readBridge();
  return !bridge?.known || hasShareForKey(bridge.key, keyShare?.files ?? []);
}

/** Returns the host whose journal says that a move has begun. */
export function findBegin(survey: MoveSurvey, move: MoveId): string | undefined {
  const side = bothSides.find((each) => {
    const journal = takeValue<OldHost | NewHost>(survey[each])?.facts.journal;
    return journal !== undefined && isSameMove(journal.move, move) && lookUpStage(journal.stage).copy !== "part";
  });
  return side && `${side} host`;
}
