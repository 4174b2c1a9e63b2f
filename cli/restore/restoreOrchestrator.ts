import { createNodeTarget, createOldHost } from "../../core/chain/configuredNode.ts";
import type { StackConfig } from "../../core/config/config.ts";
import { chooseStore, openStackStore } from "../../core/config/stackStore.ts";
import { appendEvent, findLastMoveEvent, isMoveOver, readLog, readMoveEvents } from "../../core/eventLog/eventLog.ts";
import type { Backup, MoveEvent } from "../../core/eventLog/events.ts";
import { createMoveId, formatMove, isSameOwner, type MoveId } from "../../core/eventLog/moveId.ts";
import { hasShareForKey } from "../../core/host/shareFileName.ts";
import { type BackupContent, readBackup } from "../../core/orchestrator/backup/restoreBackup.ts";
import { type BridgeNow, findStaleShare, readHostBridge } from "../../core/orchestrator/checks/bridgeState.ts";
import { endFence, fenceVariables } from "../../core/orchestrator/hosts/lostHostFence.ts";
import { confirmationPaths, confirmFor } from "../../core/orchestrator/rules/confirmations.ts";
import {
  checkMoveHistory,
  findOpenAttempt,
  type MoveHistory,
  type Wanted,
} from "../../core/orchestrator/rules/generation.ts";
import type { WhichHost } from "../../core/orchestrator/rules/journal.ts";
import { summarizeMoves } from "../../core/orchestrator/rules/moveHistory.ts";
import { findForeignBackup, formatRestoreHint, stopForGood } from "../../core/orchestrator/rules/obstacles.ts";
import { createHostTarget } from "../../core/ssh/configuredLogin.ts";
import { computeFingerprint } from "../../core/ssh/publicKey.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { printableLines } from "../../core/util/printable.ts";
import { formatProblem, type Problem, ProblemError } from "../../core/util/problem.ts";
import { formatDuration } from "../../core/util/timeText.ts";
import {
  askRelease,
  confirmFirstMove,
  createMoveSettings,
  findReleaseProblem,
  type MoveOptions,
  refuseOtherOldHost,
} from "../edit/moveOrchestrator.ts";
import { openTwoStacks } from "../edit/otherStack.ts";
import { createPulumi } from "../pulumi/pulumiCommand.ts";
import { removeSettings, runUp, writeSettings } from "../pulumi/stackFiles.ts";
import { openStackWithHost } from "../status/openStack.ts";
import { type FenceOptions, fenceHost, findServer } from "./fenceHost.ts";

export interface RestoreOptions extends Omit<MoveOptions, "from">, FenceOptions {
  /** The stack of the lost host. By default the configured oldHost is lost. */
  readonly from?: string;
  /** The backup. By default that of a killed restore, else the newest one in the event log that fits. */
  readonly backup?: string;
  /** The number of the last move in the event log, if the lost host has the orchestrator in spite of it. */
  readonly laterThanMove?: number;
}

/**
 * Fences a lost host, and lets `pulumi up` start its orchestrator on this stack's host from a backup (docs/restore.md).
 * After a kill, the same command continues. Returns the exit code. @throws ProblemError
 */
export async function restoreOrchestrator(
  stack: string,
  args: readonly string[],
  options: RestoreOptions,
): Promise<number> {
  const { config, address, hostKey } = await openStackWithHost(stack);
  const { lost, settings, owners } = await findLostHost(stack, config, options);
  const store = openStackStore(config);
  const moves = await readMoveEvents(store);
  const hosts = { old: computeFingerprint(lost.hostKey), new: computeFingerprint(hostKey) };
  const move = chooseMove(moves, createMoveId(config), hosts);
  const { pillar, orchestrator, sync } = config;
  const node = createNodeTarget(config, address, hostKey);
  const bridge = await readHostBridge({ node, references: sync.references });
  const file = options.backup ?? chooseBackup(config, moves, bridge);
  if (file === undefined)
    throw new ProblemError({ what: "the event log has no backup", needed: "give one with --backup FILE" });
  const ref = { directory: chooseStore(config), identityFile: orchestrator.backup.identityFile, move };
  const content = await readBackup(file, ref);
  const server = findServer(await readLog(store, pillar.name), { lost, target: { address, hostKey } }, owners);
  const where = server ? `server ${server.id} at ${server.provider}` : "no cloud server of this host is known";
  const isFresh = isFreshShare(content, bridge);
  const lines = formatRestore(file, content, { address, lost: `${lost.address}; ${where}`, isFresh, moves });
  console.log(printableLines(lines.join("\n")));
  const known = summarizeMoves(moves, move);
  const { noKeyShare, haltedBridge, laterThanMove } = orchestrator;
  const stale = findStaleShare(content, bridge, confirmFor({ noKeyShare, haltedBridge }, known, commandsFor(stack)));
  if (stale) throw new ProblemError(stale);
  const laterThan = options.laterThanMove ?? laterThanMove;
  const wanted = { move, direction: "forward", known, laterThan, hosts } as const;
  const elsewhere = findForeignBackup(content, lost, wanted) ?? findLastHolder(wanted, lost.address);
  if (elsewhere) throw new ProblemError(elsewhere);
  const word = await confirmFirstMove(stack, config, options);

  const fence = await fenceHost(lost, server, options, () => endFence(store, move, lost, Date.now()));
  await appendEvent(store, { at: new Date().toISOString(), move, event: "fenced", details: fence });
  const engine = createPulumi(stack);
  const restored = {
    ...settings,
    ...word,
    "orchestrator.attempt": move.attempt === orchestrator.attempt ? undefined : move.attempt,
    "orchestrator.rollback": orchestrator.rollback ? "false" : undefined,
    [backupKey]: file,
    "orchestrator.laterThanMove": laterThan,
  };
  await writeSettings(engine, restored);
  if (server !== undefined && fence.how === "off") {
    process.env[fenceVariables.token] = server.token;
    if (server.endpoint !== undefined) process.env[fenceVariables.endpoint] = server.endpoint;
    if (!options.up) console.log(`Set ${fenceVariables.token} for the run: it reads again that ${where} is off.`);
  }
  const code = await runUp(stack, { up: options.up }, args, engine);
  if (!options.up) return code;
  const isDone = findLastMoveEvent(await readMoveEvents(store), move, "done") !== undefined;
  if (!isDone) console.log(formatWithdrawal(config, lost.address, address));
  if (code !== 0) return code;
  if (!isDone)
    throw new ProblemError({
      what: "the run ended well, but the orchestrator is not restored yet",
      needed: "solve the problems that the run printed",
      next: "Then run the same command again",
    });
  await removeSettings(engine, [backupKey, ...confirmationPaths]);
  return code;
}

const backupKey = "orchestrator.restoreFrom";

/** Formats how to withdraw a restore that is not done: only then may the lost host be switched on. */
export function formatWithdrawal({ stack, orchestrator }: StackConfig, lost: string, address: string): string {
  const { service, directory } = orchestrator;
  return formatProblem({
    what: `the restore is not done. Leave ${lost} off: it may be switched on only after the restore was withdrawn`,
    next: [
      "To go on, run the same command again. To withdraw the restore:",
      `  ${commandsFor(stack).remove(backupKey)}`,
      `  on ${address}: ${stopForGood(service)} (it must say inactive)`,
      `  on ${address}: for each in ${directory} ${directory}.arriving; do [ ! -e $each ] || mv -T $each $each.withdrawn; done`,
    ],
  });
}

/** Returns the move that restores: that of an open start; a new one if the configured one ended, and would do nothing. */
export function chooseMove(
  moves: readonly MoveEvent[],
  move: MoveId,
  hosts: Readonly<Record<WhichHost, string>>,
): MoveId {
  const known = summarizeMoves(moves, move);
  const open = findOpenAttempt(known, move);
  if (open || !isMoveOver(moves, move) || known.startedOn === hosts.new) return open ?? move;
  const own = moves.flatMap((entry) => (isSameOwner(entry.move, move) ? [entry.move.attempt ?? 0] : []));
  return { ...move, attempt: Math.max(...own) + 1 };
}

/** Returns the lost host, the settings that its stack adds to this one, and the stacks that may own its server. */
async function findLostHost(stack: string, config: StackConfig, options: RestoreOptions) {
  const { from, release, releaseSha256, releaseVersion } = options;
  if (from !== undefined) {
    const { other, host } = await openTwoStacks(stack, from, "--from");
    refuseOtherOldHost(config, host, from);
    const asked = await askRelease(config, options);
    const wrong = findReleaseProblem(stack, config, { ...options, ...asked, from, command: "restore" });
    if (wrong !== undefined) throw new ProblemError({ what: wrong });
    const settings = createMoveSettings(config, other, host, asked);
    return { lost: createHostTarget(other, host.address, host.hostKey), settings, owners: [other, config] };
  }
  if (!config.orchestrator.move || (release ?? releaseSha256 ?? releaseVersion) !== undefined)
    throw new ProblemError({
      what: "the lost host's stack is not given: only with it can its host and release be set",
      needed: "give it with --from",
    });
  return { lost: createOldHost(config).host.ssh, settings: {}, owners: [config] };
}

/** Chooses the backup that a killed run of this restore may have unpacked, else the newest with the bridge's key share. */
export function chooseBackup(
  config: Pick<StackConfig, "pillar" | "orchestrator">,
  moves: readonly MoveEvent[],
  bridge: BridgeNow,
): string | undefined {
  const { restoreFrom } = config.orchestrator;
  if (restoreFrom !== undefined) return restoreFrom;
  const whole = moves.flatMap(({ move, event, details }) =>
    move.pillar === config.pillar.name && event === "backup" && details.label !== "last" ? [details] : [],
  );
  return (whole.findLast((backup) => isFreshShare(backup, bridge)) ?? whole.at(-1))?.file;
}

function isFreshShare({ keyShare }: Pick<Backup, "keyShare">, bridge: BridgeNow): boolean {
  return bridge.known && hasShareForKey(bridge.key, keyShare?.files ?? []);
}

/** Returns the problem that a third host may have the orchestrator, as far as the event log knows. */
export function findLastHolder(wanted: Wanted & { readonly known: MoveHistory }, lost: string): Problem | undefined {
  if (checkMoveHistory(wanted, { old: undefined, new: undefined }, "unpack") !== "later start") return undefined;
  const { startedOn = "an unnamed host", startedFrom, move } = wanted.known;
  const isOpen = startedFrom !== undefined;
  return {
    what: "by the event log, another host may have the orchestrator",
    found: `started last on ${startedOn}${isOpen ? `, from ${startedFrom}, without an end` : ""}, in ${move ? formatMove(move) : "no move"}`,
    needed: "name with --from the stack of the host that has it",
    next: [isOpen && move && `To end that move: ${commandsFor(move.stack).up}`, formatRestoreHint(lost, wanted.known)],
  };
}

/** Formats what is restored. `lost`: the lost host's address, and its server; `isFresh`: its key share is the newest. */
export function formatRestore(
  file: string,
  { host, provedAt, keyShare }: Pick<BackupContent, "host" | "provedAt" | "keyShare">,
  scene: { readonly address: string; lost: string; isFresh: boolean; moves: readonly MoveEvent[] },
): string[] {
  const { address, lost, isFresh, moves } = scene;
  const last = moves.findLast(({ event }) => event === "done" || event === "rolledBack" || event === "starting");
  return [
    `restoring the orchestrator on ${address} from a backup:`,
    `  backup       ${file}`,
    `  taken        ${formatDuration(Date.now() - Date.parse(provedAt))} ago, of ${host}`,
    `  key share    ${keyShare ? `${keyShare.files.join(", ")}, made ${keyShare.generatedAt}` : "none"}`,
    `  bridge's key ${isFresh ? "belongs to the key share: no key generation came after it" : "NOT shown to belong to the key share"}`,
    `  lost host    ${lost}`,
    `  last move    ${last ? `${formatMove(last.move)}: ${last.event} at ${last.at}` : "none in the event log"}`,
  ];
}
