import { existsSync } from "node:fs";
import { openChainView } from "../../core/chain/chainView.ts";
import { countNodesOnce } from "../../core/chain/distinctNodes.ts";
import { findNewerRelease } from "../../core/chain/newerRelease.ts";
import { readNode } from "../../core/chain/reading.ts";
import { findFirstFork, formatHashes, isSameChain, readSharedHeights } from "../../core/chain/sameChain.ts";
import { createVersionRules } from "../../core/chain/versionRules.ts";
import { openCloud } from "../../core/cloud/clouds.ts";
import { decideServer } from "../../core/cloud/decideServer.ts";
import { warnOfOpenSsh } from "../../core/cloud/firewall.ts";
import { openOrderRecords } from "../../core/cloud/orderRecord.ts";
import type { ReleaseSource } from "../../core/config/schemaParts.ts";
import { chooseStore, openStackStore } from "../../core/config/stackStore.ts";
import { isMoveOver, readMoveEvents } from "../../core/eventLog/eventLog.ts";
import { rehearse } from "../../core/orchestrator/checks/rehearsal.ts";
import { createChainReaders, readFreeBytes } from "../../core/orchestrator/checks/survey.ts";
import { openPair } from "../../core/orchestrator/hosts/hostPair.ts";
import { createMoveInputs } from "../../core/orchestrator/hosts/moveInputs.ts";
import { askAboutOwnName, describeUnknownName } from "../../core/registration/askAboutName.ts";
import { createNameRefusal, findNameFault } from "../../core/retirement/correctName.ts";
import { createRetirementInputs, listReferences } from "../../core/retirement/retirementInputs.ts";
import { resolveOwnIdentityPath, resolveStoreDirectory } from "../../core/store/storeDirectory.ts";
import { chainRisk } from "../../core/sync/decideSynced.ts";
import { createWitnessSources } from "../../core/sync/gateSettings.ts";
import { agreeOnHeight, type WitnessReading } from "../../core/sync/judgeWitnesses.ts";
import { systemClock } from "../../core/util/clock.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { resolvePath } from "../../core/util/resolvePath.ts";
import { formatRequestError } from "../../core/util/sendRequest.ts";
import { formatSize } from "../../core/util/timeText.ts";
import { openStack, type StackInfo } from "../status/openStack.ts";
import { checkHost, checkOldHost } from "./checkHost.ts";
import { checkNodeVersion, isNodeExpected } from "./checkNodeVersion.ts";
import { type CheckRow, decideCheckExitCode, fail, formatChecks, pass, pending } from "./checkRow.ts";

/** Makes all checks that `pulumi up` makes before it changes anything. Returns the exit code. @throws ProblemError */
export async function check(fullName: string, { json }: { json?: boolean }): Promise<number> {
  const source = await openStack(fullName);
  const { stack, config } = source;
  /** Makes a check; its error is a fault. */
  const run = async (topic: string, makeCheck: (source: StackInfo) => Promise<CheckRow[]>): Promise<CheckRow[]> =>
    makeCheck(source).catch(({ message }: Error) => [fail(topic, message)]);
  const rows = (
    await Promise.all([
      run(config.host.provider, checkCloud),
      run("host", checkHost),
      run("old host", checkOldHost),
      run("node's version", checkNodeVersion),
      run("references", checkReferences),
      run(nameTopic, checkPillarName),
      ...(["controller", "orchestrator", "node"] as const).map((name) => checkRelease(name, config[name].release)),
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

export async function checkReferences({ config, address = "", hostKey = "" }: StackInfo): Promise<CheckRow[]> {
  const { sync, lifecycle } = config;
  const urls = listReferences(config);
  const { witnessHost } = createWitnessSources(config);
  const risk = lifecycle === "active" && sync.unverifiedChain ? [pending("chain", chainRisk)] : [];
  if (urls.length === 0 && witnessHost === undefined)
    return [pending("references", "no reference is configured: only the node's own answers prove the sync"), ...risk];
  const host = { ssh: { address, hostKey }, versions: createVersionRules(config) };
  const view = openChainView(host, { oldHost: witnessHost, references: urls });
  const newest = await view.read((client) => readNode(client, async () => ({}), 10_000));
  const readings = await readSharedHeights(newest, 5000);
  view.close();
  return [...risk, ...compareWitnesses(readings, sync.tolerance)];
}

const nameTopic = "Pillar's name";

/** Returns the refusal of a name that is not that of the last run, if the next run will not correct it. */
async function findNameRefusal({ stack, config, state, address, hostKey }: StackInfo): Promise<string | undefined> {
  const { guardedPillar: before, guardedProducer, guardMemory } = state;
  const { name } = config.pillar;
  if (before === undefined || before === name || address === undefined || hostKey === undefined) return undefined;
  const inputs = createRetirementInputs(config, { address, hostKey, isOwnServer: false });
  const fault = await findNameFault({ inputs, before, logHead: guardMemory?.logHead }, guardedProducer);
  return fault && createNameRefusal(stack, before, name, fault).message;
}

export async function checkPillarName(source: StackInfo): Promise<CheckRow[]> {
  const { config } = source;
  if (config.lifecycle === "retiring") return [];
  const refusal = await findNameRefusal(source);
  if (refusal) return [fail(nameTopic, refusal)];
  const answer = await askAboutOwnName(config, isNodeExpected(source) ? source : {});
  if (answer.kind === "known") return [pass(nameTopic, `${config.pillar.name} is registered`)];
  if (answer.kind === "unasked") return [pending(nameTopic, `no node can say whether it is registered: ${answer.why}`)];
  const { what, found, needed, next } = describeUnknownName(config, answer);
  return [fail(nameTopic, what, found, `needed: ${needed}`, next)];
}

function compareWitnesses(readings: readonly WitnessReading[], tolerance: number): CheckRow[] {
  const { counted: told, notes: leftOut } = countNodesOnce(readings, isSameChain);
  const { median, notes } = agreeOnHeight(told, tolerance);
  const lines = [...leftOut, ...notes];
  if (told.length === 0) return [fail("references", "no reference gives a height", ...lines)];
  const fork = findFirstFork(told);
  if (fork) {
    const found = formatHashes([fork.one, fork.other], fork.height);
    const needed = "needed: remove the wrong node from pillar-host:sync.references";
    return [fail("references", "the references are on different chains", found, needed, ...lines)];
  }
  if (median === undefined) return [fail("references", "the references contradict each other", ...lines)];
  return [pass("references", `${told.length} of ${readings.length} answer, height ${median}`, ...lines)];
}

async function checkStore({ config }: StackInfo): Promise<CheckRow[]> {
  if (config.store === undefined) return [];
  const store = openStackStore(config);
  return [pass("store", `${(await store.readLines()).length} lines of the event log are in ${store.log}`)];
}

const minFreeBytes = 100 * 1024 * 1024;

async function checkDiskSpace({ config }: StackInfo): Promise<CheckRow[]> {
  const directory = resolveStoreDirectory(chooseStore(config));
  const free = readFreeBytes(directory);
  const said = `${formatSize(free)} free at ${directory}, for the event log and backups`;
  const { identityFile } = config.orchestrator.backup;
  const keyFile = identityFile === undefined ? resolveOwnIdentityPath(directory) : resolvePath(identityFile);
  const key = `${keyFile} ${existsSync(keyFile) ? "is" : "will be"} the key of the backups: keep copies of the key and of the backups elsewhere, apart from each other`;
  if (free < minFreeBytes) return [fail("this machine", said, "needed: free at least 100 MB", key)];
  return [pass("this machine", said, key)];
}

async function checkCloud({ config }: StackInfo): Promise<CheckRow[]> {
  const { host } = config;
  if (host.provider === "existing") return [];
  const cloud = openCloud({ ...config, host });
  const topic = cloud.provider;
  const record = await openOrderRecords(config).read();
  const decided = await decideServer({ ...config, host }, cloud, record);
  if ("faults" in decided) return [fail(topic, ...decided.faults)];
  const { plan, lines, warnings } = decided;
  const said = {
    make: "a server can be ordered with this token",
    keep: `server ${plan.kind === "keep" ? plan.server.id : ""} exists`,
    gone: "this stack has no server",
  }[plan.kind];
  // Some lines end in a command, which must not be wrapped.
  return [pass(topic, said, ...[...lines, ...warnings], ...warnOfOpenSsh(host.sshFrom))];
}

const requestTimeoutMs = 15_000;

export async function checkRelease(program: string, release: ReleaseSource | undefined): Promise<CheckRow[]> {
  if (release === undefined) return [];
  const topic = `${program}'s release`;
  try {
    // Requests the first bytes, because a signed URL refuses HEAD requests.
    const headers = { range: "bytes=0-59" };
    const { status, body } = await fetch(release.url, { headers, signal: AbortSignal.timeout(requestTimeoutMs) });
    await body?.cancel();
    const newer = program === "controller" ? await findNewerRelease(release.url) : undefined;
    if (status < 400 || status === 416)
      return [pass(topic, `${release.url} answers ${status}`, ...(newer ? [`newer release: ${newer}`] : []))];
    const needed = status === 404 ? ["needed: compare the address with the release page"] : [];
    return [fail(topic, `${release.url} answers ${status}`, ...needed)];
  } catch (error) {
    const found = formatRequestError(error, release.url, requestTimeoutMs);
    // No fault: the host downloads the release, and may reach addresses that this machine can't.
    return [pending(topic, `${release.url} can't be reached from here (${found}); the host tries it before Deploy`)];
  }
}

const topic = "orchestrator's move";

/** Rehearses the orchestrator's move: makes all its checks, estimates how long the bridge lacks a signer. */
async function checkMove({ stack, config, state, address, hostKey }: StackInfo): Promise<CheckRow[]> {
  if (!config.orchestrator.move) return [];
  if (address === undefined || hostKey === undefined)
    return [pending(topic, "the move is rehearsed once the address and ssh host key of the new host are known")];
  const inputs = createMoveInputs(config, address, hostKey);
  if (isMoveOver(await readMoveEvents(openStackStore(config)), inputs.move))
    return [pass(topic, "the event log says that the move is over: nothing to rehearse")];
  const roots = openPair(inputs);
  // Before the first sync, an unsynced node is no fault: the move comes later.
  const nodeCounts = state.wait?.syncedAt !== undefined;
  try {
    const { begun, faults, shown, gapSeconds } = await rehearse(inputs, nodeCounts, {
      roots,
      ...createChainReaders(inputs),
      ...systemClock,
    });
    if (begun !== undefined)
      return [pass(topic, `the move has begun (journal on the ${begun}); to continue: ${commandsFor(stack).up}`)];
    const rows = faults.map((text) => fail(topic, text));
    if (!nodeCounts)
      rows.unshift(pending(topic, "the node is not synced yet; the sync is checked again before the move"));
    if (gapSeconds !== undefined)
      rows.unshift({ ...pass(topic, "rehearsed: nothing was written on either host", ...shown), gapSeconds });
    return rows;
  } finally {
    roots.old.close();
    roots.new.close();
  }
}
