import { existsSync } from "node:fs";
import { isAnswered, listLeftOut } from "../../core/chain/reading";
import { findFirstFork, hashAt, readSharedHeights } from "../../core/chain/sameChain";
import { openStackStore, resolveRecordsDirectory } from "../../core/config/stackStore";
import { findWebhookFault } from "../../core/notify/notify";
import { readFreeBytes } from "../../core/orchestrator/checks/survey";
import { listRetirementReferences } from "../../core/retirement/retirementInputs";
import { resolveOwnIdentityPath } from "../../core/store/recordsDirectory";
import { chainRisk } from "../../core/sync/decideSynced";
import { createWitnessSources } from "../../core/sync/gateSettings";
import { agreeOnHeight, type ReferenceReading } from "../../core/sync/references";
import { openWitnesses } from "../../core/sync/witnesses";
import { commandsFor } from "../../core/util/commands";
import { resolvePath } from "../../core/util/resolvePath";
import { formatSize } from "../../core/util/sizeText";
import { openStack, type StackInfo } from "../status/openStack";
import { checkCloud } from "./checkCloud";
import { checkHost } from "./checkHost";
import { checkMove } from "./checkMove";
import { checkNodeVersion } from "./checkNodeVersion";
import { checkRelease, checkReleaseHash } from "./checkReleases";
import { type CheckRow, decideCheckExitCode, fail, formatChecks, pass, pending } from "./checkRow";

/** Makes all checks that `pulumi up` makes before it changes anything. Returns the exit code. @throws CliRefusal */
export async function check(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const { stack, config } = source;
  const releases = [config.controller.release, config.orchestrator.release, config.node.release];
  /** Makes a check; its error is a fault. */
  const run = async (topic: string, makeCheck: (source: StackInfo) => Promise<CheckRow[]>): Promise<CheckRow[]> =>
    makeCheck(source).catch(({ message }: Error) => [fail(topic, message)]);
  const rows = (
    await Promise.all([
      run(config.host.provider, checkCloud),
      run("host", checkHost),
      run("node's version", checkNodeVersion),
      run("references", checkReferences),
      ...(["controller", "orchestrator", "node"] as const).map((program, i) => checkRelease(program, releases[i])),
      run("orchestrator's release", checkReleaseHash),
      checkWebhook(source),
      run("this machine", checkDiskSpace),
      run("store", checkStore),
      run("orchestrator's move", checkMove),
    ])
  ).flat();
  const exitCode = decideCheckExitCode(rows);
  if (json) console.log(JSON.stringify({ stack, good: exitCode === 0, rows }, undefined, 2));
  else console.log(formatChecks(stack, rows).join("\n"));
  return exitCode;
}

async function checkReferences({ config, address = "", hostKey = "" }: StackInfo): Promise<CheckRow[]> {
  const { sync, lifecycle } = config;
  const urls = lifecycle === "active" ? sync.references : listRetirementReferences(config);
  const { witnessHost } = createWitnessSources(config);
  const risk = lifecycle === "active" && sync.unverifiedChain ? [pending("chain", chainRisk)] : [];
  if (urls.length === 0 && witnessHost === undefined)
    return [pending("references", "no reference is configured: only the node's own answers prove the sync"), ...risk];
  const witnesses = openWitnesses({ references: urls, witnessHost }, { ssh: { address, hostKey } });
  const { readings: references, oldHost } = await witnesses.read(undefined);
  const readings = await readSharedHeights([...references, ...(oldHost ? [oldHost] : [])], 5000);
  witnesses.close();
  return [...risk, ...compareWitnesses(readings, sync.tolerance)];
}

function compareWitnesses(readings: readonly ReferenceReading[], tolerance: number): CheckRow[] {
  const told = readings.filter(isAnswered);
  const { median, notes } = agreeOnHeight(told, tolerance);
  const lines = [...listLeftOut(readings), ...notes];
  if (told.length === 0) return [fail("references", "no reference gives a height", ...lines)];
  const fork = findFirstFork(told);
  if (fork) {
    const hashes = [fork.one, fork.other].map(
      (each) => `${hashAt(each, fork.height)?.slice(0, 12)} at ${each.client.name}`,
    );
    const found = `momentum ${fork.height} is ${hashes.join(", ")}`;
    const needed = "needed: remove the wrong node from pillar-host:sync.references";
    return [fail("references", "the references are on different chains", found, needed, ...lines)];
  }
  if (median === undefined) return [fail("references", "the references contradict each other", ...lines)];
  const said = `${told.length} of ${readings.length} answer, height ${median}`;
  return [pass("references", said, ...lines)];
}

function checkWebhook({ stack, config: { notify } }: StackInfo): CheckRow[] {
  if (notify === undefined) return [];
  const wrong = findWebhookFault(notify);
  if (wrong !== undefined) return [fail("webhook", wrong, commandsFor(stack).setSecret("notify"))];
  return [pass("webhook", `configured; to test it: ${commandsFor(stack).notifyTest}`)];
}

async function checkStore({ config }: StackInfo): Promise<CheckRow[]> {
  if (config.store === undefined) return [];
  const store = openStackStore(config);
  return [pass("store", `${(await store.readLines()).length} lines of the event log are in ${store.log}`)];
}

const minFreeBytes = 100 * 1024 * 1024;

async function checkDiskSpace({ config }: StackInfo): Promise<CheckRow[]> {
  const directory = resolveRecordsDirectory(config);
  const free = readFreeBytes(directory);
  const said = `${formatSize(free)} free at ${directory}, for the event log and backups`;
  const { identityFile } = config.orchestrator.backup;
  const keyFile = identityFile === undefined ? resolveOwnIdentityPath(directory) : resolvePath(identityFile);
  const key = `${keyFile} ${existsSync(keyFile) ? "is" : "will be"} the key of the backups: keep copies of the key and of the backups elsewhere, apart from each other`;
  return [
    free < minFreeBytes
      ? fail("this machine", said, "needed: free at least 100 MB", key)
      : pass("this machine", said, key),
  ];
}
