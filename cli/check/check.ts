import { existsSync } from "node:fs";
import { isAnswered } from "../../core/chain/reading";
import { firstFork, hashAt, showToEachOther } from "../../core/chain/sameChain";
import { backupPlace, storeOf } from "../../core/config/stackStore";
import { webhookFault } from "../../core/notify/notify";
import { roomAt } from "../../core/orchestrator/checks/survey";
import { retirementReferences } from "../../core/retirement/retirementInputs";
import { ownIdentityFile } from "../../core/store/recordsDirectory";
import { chainRisk } from "../../core/sync/evidence";
import { lookupSettings } from "../../core/sync/lookupSettings";
import { referenceText } from "../../core/sync/messages";
import { compareReferences, type ReferenceReading } from "../../core/sync/references";
import { openWitnesses } from "../../core/sync/witnesses";
import { commandsFor } from "../../core/util/commands";
import { resolvePath } from "../../core/util/resolvePath";
import { command } from "../../core/util/shownLine";
import { sizeText } from "../../core/util/sizeText";
import { openStack, type StackSource } from "../status/openStack";
import { checkCloud } from "./checkCloud";
import { checkHost } from "./checkHost";
import { checkOrchestrator } from "./checkMove";
import { checkNodeVersion } from "./checkNodeVersion";
import { checkRelease, checkReleaseHash } from "./checkReleases";
import { amiss, type CheckRow, checkExitCode, checkLines, good, later, plainRow } from "./checkRow";

/** Asks all that `pulumi up` asks before it changes anything. @returns the exit code of --help. @throws Refusal */
export async function check(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const { stack, config } = source;
  const releases = [config.controller.release, config.orchestrator.release, config.node.release];
  const rows = (
    await Promise.all([
      checkCloud(source),
      checkHost(source),
      checkNodeVersion(source),
      checkReferences(source),
      ...(["controller", "orchestrator", "node"] as const).map((program, i) => checkRelease(program, releases[i])),
      checkReleaseHash(source),
      checkWebhook(source),
      checkRoom(source),
      checkStore(source),
      checkOrchestrator(source),
    ])
  ).flat();
  const exitCode = checkExitCode(rows);
  if (json) console.log(JSON.stringify({ stack, good: exitCode === 0, rows: rows.map(plainRow) }, undefined, 2));
  else console.log(checkLines(stack, rows, process.stdout.columns).join("\n"));
  return exitCode;
}

async function checkReferences({ config, address = "", hostKey = "" }: StackSource): Promise<CheckRow[]> {
  const { sync, lifecycle } = config;
  const urls = lifecycle === "active" ? sync.references : retirementReferences(config);
  const { witnessHost } = lookupSettings(config);
  const risk = lifecycle === "active" && sync.unverifiedChain ? [later("chain", chainRisk)] : [];
  if (urls.length === 0 && witnessHost === undefined)
    return [
      later("references", "none are configured: the sync is then proved by the node's own word and its time"),
      ...risk,
    ];
  const witnesses = openWitnesses({ references: urls, witnessHost }, { ssh: { address, hostKey } });
  const { readings: told, oldHost: old } = await witnesses.read(undefined);
  const readings = await showToEachOther([...told, ...(old ? [old] : [])], 5000);
  witnesses.close();
  return [...risk, ...witnessRows(readings, sync.tolerance)];
}

function witnessRows(readings: readonly ReferenceReading[], tolerance: number): CheckRow[] {
  const heights = readings.flatMap((reading) => (isAnswered(reading) ? [reading.newest.height] : []));
  const { median, notes } = compareReferences(Math.max(0, ...heights), { readings }, tolerance);
  const lines = notes.map(referenceText);
  if (heights.length === 0) return [amiss("references", "none of them gives a height", ...lines)];
  const fork = firstFork(readings.filter(isAnswered));
  if (fork) {
    const hashes = [fork.one, fork.other].map(
      (each) => `${hashAt(each, fork.height)?.slice(0, 12)} at ${each.client.name}`,
    );
    const found = `momentum ${fork.height} is ${hashes.join(", ")}`;
    const needed = "needed: nodes of one chain: take the one that is wrong out of pillar-host:sync.references";
    return [amiss("references", "they are on different chains", found, needed, ...lines)];
  }
  if (notes.some(({ kind }) => kind === "differ")) return [amiss("references", "they contradict each other", ...lines)];
  const said = `${heights.length} of ${readings.length} answer${median === undefined ? "" : `, height ${median}`}`;
  return [good("references", said, ...lines)];
}

function checkWebhook({ stack, config: { notify } }: StackSource): CheckRow[] {
  if (notify === undefined) return [];
  const wrong = webhookFault(notify);
  if (wrong !== undefined) return [amiss("webhook", wrong, commandsFor(stack).setSecret("notify"))];
  return [good("webhook", command(`is configured; that it takes a notice: ${commandsFor(stack).notifyTest}`))];
}

async function checkStore({ config }: StackSource): Promise<CheckRow[]> {
  if (config.store === undefined) return [];
  try {
    const store = storeOf(config);
    return [good("store", `${(await store.lines()).length} lines of the record are in ${store.log}`)];
  } catch (error) {
    return [amiss("store", ...(error as Error).message.split("\n"))];
  }
}

const least = 100 * 1024 * 1024;

async function checkRoom({ config }: StackSource): Promise<CheckRow[]> {
  const directory = backupPlace(config);
  const free = roomAt(directory);
  const said = `${sizeText(free)} free at ${directory}, for record and backups`;
  const { identityFile } = config.orchestrator.backup;
  const keyFile = identityFile === undefined ? ownIdentityFile(directory) : resolvePath(identityFile);
  const key = `${keyFile} ${existsSync(keyFile) ? "is" : "will be"} the key of the backups: copies of it and of them belong elsewhere, apart from each other`;
  return [free < least ? amiss("this machine", said, "needed: 100 MB at least", key) : good("this machine", said, key)];
}
