import type { Observation, SyncInfo } from "../chain/node.ts";
import { formatSyncAgain, type LoginAddress } from "../chain/nodeDatabases.ts";
import { dropFigures } from "../chain/reading.ts";
import { formatVersionGap, installLines } from "../chain/requiredVersions.ts";
import type { EventDetails, SyncProof } from "../eventLog/events.ts";
import { formatHostFacts, type NodeFacts } from "../host/nodeFacts.ts";
import type { Clock } from "../util/clock.ts";
import { commandsFor } from "../util/commands.ts";
import { ProblemError } from "../util/problem.ts";
import { formatDuration } from "../util/timeText.ts";
import { decideLookup, type LookupDeps, noEvidence } from "./decideSynced.ts";
import type { GateSettings } from "./gateSettings.ts";
import { observeStable } from "./judgeObservation.ts";
import {
  addSample,
  computeProgress,
  decideQuietMs,
  followHeight,
  formatProgress,
  formatProgressKey,
  formatShortProgress,
  type HeightStanding,
  type Sample,
  type SyncProgress,
} from "./progress.ts";
import { watchVersion } from "./versionWatch.ts";
import { resumeStanding, type WaitStanding } from "./waitMemory.ts";

export interface WaitOptions extends Omit<GateSettings, "references"> {
  readonly ssh: LoginAddress;
  /** Unix milliseconds of the first lookup of all runs. */
  readonly startedAt: number;
  readonly startHeight?: number | undefined;
  /** The wait as the runs before logged it. A run that waits itself counts stall and deadline from its own start. */
  readonly before?: EventDetails["waiting"] | undefined;
  /** Heights of earlier lookups in this process. */
  readonly samples?: readonly Sample[] | undefined;
}

export interface SyncDeps extends Clock, LookupDeps {
  readonly client: { observe(): Promise<Observation> };
  say(line: string): void;
  /** Shows the progress in few words, until the next one replaces it. */
  show?(line: string): void;
  /** Gets the progress after each lookup. Never throws. */
  seen?(progress: SyncProgress, standing: WaitStanding): void;
  /** Sends a webhook notification. Returns at once and never throws. */
  notify?(event: "synced" | "stalled" | "over" | "deadline" | "tooOld", text: string): void;
  /** Reads facts that may explain a stall. Never throws. */
  readFacts?(): Promise<NodeFacts>;
  /** Aborted once the engine was killed: then nobody waits for the result. */
  readonly signal?: AbortSignal;
}

export type SyncResult = SyncProof & SyncInfo;

/** Milliseconds until the next lookup: longer while the node is far from its target or does not answer. */
const pollIntervalMs = 5000;
const shortIntervalMs = 2000;
/** Distance to the target, in momentums. */
const nearTheEnd = 20;
/** Milliseconds between two percentages beside the gate. */
const showIntervalMs = 60_000;

/**
 * Waits until the node is provably synced (docs/specification.md, 1.1, step 11; rules: decideSynced.ts). No temporary
 * problem ends the wait. With `await`, stall and deadline count over all runs. Throws ProblemError at the deadline,
 * after the signal and for a node that is too old from the beginning (`gaveUp`, or `awaiting` if nothing failed: the run
 * ends with exit code 10), and FatalError if the host key changed or the login is refused.
 */
export async function waitForSync(options: WaitOptions, deps: SyncDeps): Promise<SyncResult> {
  const { startedAt, wait = "block", confirmations } = options;
  const startTicks = deps.ticks();
  const end = startTicks + options.deadline;
  let { startHeight } = options;
  let { samples = [] } = options;
  let evidence = noEvidence;
  const report = createReport(deps, startTicks);
  let standing: HeightStanding | undefined;
  const observe = () => deps.client.observe();
  const { look, readVersionGaps } = watchVersion(deps, (text) => deps.notify?.("tooOld", text));
  for (;;) {
    // Repeat a lookup that decides alone while the node may be adding a momentum.
    const observation = await (wait === "block" ? observe() : observeStable(observe, deps));
    const { gap, refusal } = await look(observation);
    const weighed = await decideLookup(observation, evidence, options, { ...deps, readVersionGaps, gap });
    const at = deps.ticks();
    evidence = weighed.evidence;
    const info = observation.kind === "answer" ? observation.info : undefined;
    const height = info?.currentHeight;
    startHeight ??= height;
    const isReconnected = observation.kind === "answer" && observation.isReconnected === true;
    if (isReconnected) deps.say(`sync: the ssh connection to ${options.ssh.address} had ended, and was made anew`);
    // The host may have been down before a new connection, and a time without a node is no part of its rate.
    const known = height === undefined || isReconnected ? [] : samples;
    samples = height === undefined ? [] : addSample(known, { at, height });

    const before = standing ?? resumeStanding(wait === "block" ? undefined : options.before, height, deps);
    const isFirst = standing === undefined;
    standing = followHeight(before, height, at, options.stallAfter);
    const isNews = standing.isStalled !== before.isStalled;
    const forMs = isFirst ? at - standing.at : options.stallAfter;
    if (isNews || (isFirst && standing.isStalled)) await reportStall({ ...standing, forMs, isNews }, options, deps);

    const streak = Math.min(evidence.streak, confirmations);
    const { good, why, notes } = weighed;
    const progress = computeProgress(observation, samples, { good, why, streak, confirmations, startedAt });
    const remaining = end - deps.ticks();
    const isLate = wait === "await" ? deps.now() - startedAt >= options.deadline : remaining <= 0;
    deps.seen?.(progress, { ...standing, isLate });
    report(progress, notes, at);
    if (weighed.synced && observation.kind === "answer") {
      const { info, newest } = observation;
      deps.notify?.("synced", `synced at height ${info.currentHeight}`);
      const { proved, unproved, isUnwitnessed } = weighed;
      return {
        ...info,
        startedAt: new Date(startedAt).toISOString(),
        syncedAt: new Date(deps.now()).toISOString(),
        startHeight: startHeight ?? 0,
        proved,
        unproved,
        witnessed: newest && !isUnwitnessed ? { height: newest.height, hash: newest.hash } : undefined,
      };
    }
    // A good node is confirmed in this run, also after the deadline of all runs.
    const isOver = wait === "await" && good ? remaining <= 0 : isLate;
    const what = refusal ?? reasonToGiveUp({ good, isLate: isOver }, options, deps);
    const { isStalled } = standing;
    if (what !== undefined) throw createGiveUpError(options, what, progress, { notes, isStalled, isLate: isOver });
    const isNear = info !== undefined && Math.abs(info.targetHeight - info.currentHeight) <= nearTheEnd;
    await deps.sleep(Math.min(remaining, good || isNear ? shortIntervalMs : pollIntervalMs));
  }
}

/** Returns a function that reports the progress after each lookup: beside the gate, and if it is time in the log. */
function createReport({ say, show }: SyncDeps, startTicks: number) {
  let shown: { readonly at: number; readonly line: string } | undefined;
  let last: { readonly at: number; readonly key: string } | undefined;
  return (progress: SyncProgress, notes: readonly string[], at: number): void => {
    const line = formatShortProgress(progress);
    const isDue = !shown?.line.includes("%") || at - shown.at >= showIntervalMs;
    if (isDue && line !== shown?.line) {
      show?.(line);
      shown = { at, line };
    }
    const waitedMs = at - startTicks;
    const key = [formatProgressKey(progress, waitedMs), ...notes.map(dropFigures)].join();
    if (key === last?.key && at - last.at < decideQuietMs(waitedMs)) return;
    for (const text of [formatProgress(progress), ...notes]) say(`sync: ${text}`);
    last = { at, key };
  };
}

function reasonToGiveUp(
  { good, isLate }: Readonly<Record<"good" | "isLate", boolean>>,
  { wait = "block", deadline, stack, before }: WaitOptions,
  { signal, notify }: SyncDeps,
): string | undefined {
  if (signal?.aborted) return "is no longer watched: pulumi has ended";
  if (!isLate) return wait === "block" || good ? undefined : `is not synced yet (pillar-host:sync.wait is ${wait})`;
  const what = `has not synced within ${formatDuration(deadline)} (pillar-host:sync.deadline)`;
  const isNotified = wait === "await" && before?.isLate;
  if (!isNotified) notify?.("deadline", `the node ${what}; to go on waiting: ${commandsFor(stack).up}`);
  return what;
}

async function reportStall(
  { isStalled, height, forMs, isNews }: HeightStanding & { readonly forMs: number; readonly isNews: boolean },
  options: WaitOptions,
  { say, notify, readFacts }: SyncDeps,
): Promise<void> {
  if (!isStalled) {
    say(`sync: the stall is over, height ${height}`);
    notify?.("over", `the stall is over, height ${height}`);
    return;
  }
  const { ssh } = options;
  const what = height === undefined ? "the node has not returned its height" : `the height has been ${height}`;
  const text = `${what} for ${formatDuration(forMs)}`;
  say(`sync: stalled: ${text}. The wait goes on. On ${ssh.address}:`);
  if (isNews) notify?.("stalled", text);
  const facts = await readFacts?.();
  for (const line of facts ? formatHostFacts(facts) : []) say(`  ${line}`);
  // The node itself does not report a damaged database.
  say(
    `sync: a node that was killed, for example by a power cut, may stall on a damaged database. If nothing above explains the stall, copy the chain of a synced host of yours (pillar-host:sync.from: oldHost), or sync again, for days: ${formatSyncAgain(ssh, options)}`,
  );
}

type WaitEnd = { readonly notes: readonly string[]; readonly isStalled: boolean; readonly isLate: boolean };

function createGiveUpError(
  options: WaitOptions,
  what: string,
  progress: SyncProgress,
  { notes, isStalled, isLate }: WaitEnd,
): ProblemError {
  const { ssh, service, stack, wait } = options;
  const { why } = progress;
  const run = commandsFor(stack);
  // Tasks of the operator, if waiting alone does not help.
  const needed = [
    isStalled && "find out why the height does not advance: the facts above were read when this run noticed the stall",
    wait === "await" && isLate && `let such runs wait longer: ${run.set("sync.deadline", "30d")}`,
    why.kind === "otherChain" &&
      `if the node stays on a fork for longer than some minutes, compare that momentum with an explorer; only if the node's is wrong, sync again: ${formatSyncAgain(ssh, options)}`,
    ["otherChain", "contradicted"].includes(why.kind) &&
      "if a reference is wrong, or of another network, take it out of pillar-host:sync.references; if witnesses disagree, add a reference: the majority decides",
    why.gap && installLines(why.gap, run.up).join("\n  "),
    why.kind === "unwitnessed" &&
      `add a reference that answers and has the required version (docs/sync.md, Witnesses of the chain): ${run.setTo("sync.references[0]", "URL")}`,
  ];
  const isAwaiting = wait === "await" && !needed.some((task) => task);
  return new ProblemError({
    kind: isAwaiting ? "awaiting" : "gaveUp",
    what: `${ssh.address}: the node ${what}`,
    found: [
      formatProgress(progress),
      why.gap && formatVersionGap(why.gap),
      ...(["unwitnessed", "otherChain", "contradicted"].includes(why.kind) ? notes : []),
    ],
    needed,
    next: [
      `${isAwaiting ? "" : "Nothing is lost. "}To go on waiting, from the same start: ${run.up}`,
      `Watch the sync live: ${run.status("--watch")}; on the host: systemctl status ${service}`,
    ],
  });
}
