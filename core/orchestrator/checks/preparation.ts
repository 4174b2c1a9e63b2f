import type { RpcClock } from "../../chain/orchestrator";
import { appendEvent, isMoveOver, lastMoveEvent, readMoveEvents } from "../../eventLog/eventLog";
import type { Backup, Prepared } from "../../eventLog/events";
import type { MoveId } from "../../eventLog/moveId";
import type { RootHost } from "../../ssh/root";
import { storeAt } from "../../store/openStore";
import type { Store } from "../../store/store";
import { commandsFor } from "../../util/commands";
import { type BackupDeps, type BackupOf, takeBackup } from "../backup/backup";
import { isKept, placed } from "../backup/backupPlace";
import { hasShareOf, isKeyShare } from "../backup/keyShare";
import { type Acknowledged, acknowledgedIn } from "../rules/acknowledged";
import { hasBegun } from "../rules/journal";
import { knownOf } from "../rules/known";
import type { MoveSurvey, Requirements } from "./findings";
import { moveFaultsOf } from "./prerequisites";
import { shownOf } from "./shown";
import { type ChainLooks, type OrchestratorPlace, surveyBoth } from "./survey";

/** What the prerequisites and the first backup are about; plain values, no secrets. */
export interface SecureOptions extends Acknowledged {
  readonly stack: string;
  readonly move: MoveId;
  readonly old: OrchestratorPlace;
  readonly new: OrchestratorPlace;
  /** How the new host reaches the old one's ssh, and the key that it must show there. */
  readonly copyAddress: string;
  readonly sshPort: number;
  readonly sshUser: string;
  readonly hostKey: string;
  readonly release?: { readonly version: string } | undefined;
  /** As configured: relative to the project, or with `~/` in front. */
  readonly backups: { readonly directory: string; readonly identityFile?: string | undefined };
}

/** What is kept of it in the state. No secret. */
export interface Secured extends Prepared {
  readonly move: MoveId;
}

export interface PreparationDeps extends BackupDeps, RpcClock, ChainLooks {
  readonly roots: { readonly old: RootHost; readonly new: RootHost };
}

/**
 * What a signer is made of: its directory, and the node's producer key store beside it (docs/specification.md, 1.2,
 * step 2).
 *
 * @param label when it is taken
 */
export function wholeBackupOf(label: string, { directory, nodeDirectory }: OrchestratorPlace): BackupOf {
  const below = (file: string) => file.replace(/^\/+/, "");
  const [signer, node] = [below(directory), below(nodeDirectory)];
  return {
    label,
    place: { base: "/", paths: [signer, `${node}/wallet/producer`, `${node}/config.json`] },
    // Can be rebuilt, or are logs (docs/chain.md, Orchestrator): a running signer writes them all the time.
    changing: ["logs", "events", "queues"].map((part) => `${signer}/${part}`),
    isJson: (file) => file === `${signer}/config.json` || (file.startsWith(`${signer}/`) && isKeyShare(file)),
  };
}

/** What a move wants of both hosts and of this machine. */
export async function requirementsOf(
  options: SecureOptions,
  roots: PreparationDeps["roots"],
  store: Store,
): Promise<Requirements> {
  const { old, new: target } = options;
  return {
    stack: options.stack,
    move: options.move,
    rpcPort: old.rpcPort,
    backupDirectory: store.directory,
    ...acknowledgedIn(options),
    known: knownOf(await readMoveEvents(store), options.move),
    old: { address: roots.old.address, service: old.service, directory: old.directory, executable: old.executable },
    new: { address: roots.new.address, service: target.service, directory: target.directory },
    copyAddress: options.copyAddress,
    sshPort: options.sshPort,
    hostKey: options.hostKey,
    release: options.release,
  };
}

/**
 * Checks everything that a move needs, reports all faults together, and takes the first backup. Touches nothing before.
 *
 * A move whose end is recorded, or whose backup was proved and lies there, is done with it; one that began is not judged
 * again: its journals decide (docs/architecture.md, The move of the orchestrator is one resource).
 *
 * @throws Error with every fault, or with what hindered the backup
 */
export async function secureOrchestrator(options: SecureOptions, deps: PreparationDeps): Promise<Secured> {
  const { move, old } = options;
  const store = storeAt(options.backups.directory);
  const events = await readMoveEvents(store);
  const recorded = lastMoveEvent(events, move, "secured")?.details;
  if (isMoveOver(events, move)) return { ...recorded, move };
  const kept = recorded?.backup && (await isKept(store, recorded.backup)) ? recorded.backup : undefined;
  if (kept && (await hasPresentShare(kept, options, deps))) return { ...recorded, move };

  const { roots } = deps;
  const wanted = await requirementsOf(options, roots, store);
  deps.say(`orchestrator: checking ${roots.old.address} and ${roots.new.address} before anything is touched`);
  const survey = await surveyBoth(roots, { ...options, backupDirectory: store.directory }, deps, deps);
  const begun = beganAt(survey, move);
  if (begun) {
    deps.say(`orchestrator: this move has begun already (journal on the ${begun}); going on from there`);
    if (kept) return { ...recorded, move };
    // Without the old host there is nothing left to back up: the key is on the new one by now.
    if ("problem" in survey.old || survey.old.value.facts.directory !== "there") {
      deps.say("orchestrator: no first backup was found on this machine, and the old host can't give one any more");
      return { move };
    }
  } else {
    const faults = moveFaultsOf(survey, wanted);
    if (faults.length > 0) throw new Error(moveFaultsText(faults));
    for (const line of shownOf(survey, wanted)) deps.say(`orchestrator: ${line}`);
  }
  const checkedAt = new Date(deps.now()).toISOString();
  const settings = placed({ ...options.backups, move });
  const backup = await takeBackup(roots.old, wholeBackupOf("first", old), settings, deps).catch((error: Error) => {
    throw new Error(`${error.message}\n  Then: ${commandsFor(options.stack).up}`);
  });
  const { oldVersion, oldIdentity } = seenOf(survey);
  const secured = {
    backup,
    checkedAt,
    oldVersion: oldVersion || undefined,
    oldIdentity,
  };
  await appendEvent(store, { at: new Date(deps.now()).toISOString(), move, event: "secured", details: secured });
  return { move, ...secured };
}

/** Returns true unless a backup is known to lack the share of the bridge's key: a key generation makes another one. */
async function hasPresentShare(
  { keyShare }: Backup,
  { noKeyShare }: SecureOptions,
  { lookAtBridge }: ChainLooks,
): Promise<boolean> {
  const bridge = noKeyShare ? undefined : await lookAtBridge();
  return !bridge?.known || hasShareOf(bridge.key, keyShare?.files ?? []);
}

/** The host whose journal says that a move has begun. */
export function beganAt(survey: MoveSurvey, move: MoveId): string | undefined {
  const has = (side: MoveSurvey["old"] | MoveSurvey["new"]) =>
    "value" in side && hasBegun(side.value.facts.journal, move);
  if (has(survey.new)) return "new host";
  return has(survey.old) ? "old host" : undefined;
}

function seenOf({ old }: MoveSurvey): Pick<Secured, "oldVersion" | "oldIdentity"> {
  if ("problem" in old) return {};
  const { build, identity } = old.value;
  return {
    oldVersion: "value" in build ? build.value.version : undefined,
    oldIdentity: "value" in identity && identity.value ? identity.value : undefined,
  };
}

/** All faults in one text. */
export function moveFaultsText(faults: readonly string[]): string {
  const head =
    faults.length === 1
      ? "The orchestrator can't be moved yet; nothing was touched on either host. One thing stands in the way:"
      : `The orchestrator can't be moved yet; nothing was touched on either host. ${faults.length} things stand in the way:`;
  return [head, ...faults.map((fault) => `- ${fault.replaceAll("\n", "\n  ")}`)].join("\n");
}
