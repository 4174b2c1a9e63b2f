import type { NodeClient, Observation, SyncInfo } from "../chain/node";
import { dropFigures } from "../chain/reading";
import { formatVersionGap, installLines } from "../chain/requiredVersions";
import type { SyncProof } from "../eventLog/events";
import { formatHostFacts, type NodeHostFacts } from "../ssh/hostFacts";
import type { Clock } from "../util/clock";
import { commandsFor } from "../util/commands";
import { formatProblem } from "../util/problem";
import { formatDuration } from "../util/timeText";
import { chainGap, decideLookup, type LookupDeps, noEvidence, type SyncDecision } from "./decideSynced";
import type { GateSettings } from "./gateSettings";
import { observeStable } from "./judgeObservation";
import {
  computeProgress,
  followHeight,
  formatProgress,
  formatProgressKey,
  type HeightStanding,
  type Sample,
  type SyncProgress,
} from "./progress";

export interface WaitOptions extends Omit<GateSettings, "references"> {
  /** Unix milliseconds of the first lookup of all runs. */
  readonly startedAt: number;
  readonly startHeight?: number | undefined;
  readonly address: string;
}

export interface SyncDeps extends Clock, LookupDeps {
  readonly client: NodeClient;
  say(line: string): void;
  /** Gets the progress after each lookup. Never throws. */
  seen?(progress: SyncProgress): void | Promise<void>;
  /** Sends a webhook notification. Returns at once and never throws. */
  notify?(event: "synced" | "stalled" | "over" | "deadline", text: string): void;
  /** Reads facts that may explain a stall. Never throws. */
  readFacts?(): Promise<NodeHostFacts>;
  /** Aborted once the engine was killed: then nobody waits for the result. */
  readonly signal?: AbortSignal;
}

export type SyncResult = SyncProof & SyncInfo;

/** The node is not synced yet. `isAwaiting`: nothing failed, so the run ends as awaiting, with exit code 10. */
export interface GiveUpError extends Error {
  readonly isAwaiting: boolean;
}

export function isGiveUp(error: unknown): error is GiveUpError {
  return error instanceof Error && "isAwaiting" in error;
}

/** Milliseconds until the next lookup: longer while the node is far from its target or does not answer. */
const pollIntervalMs = 5000;
const shortIntervalMs = 2000;
/** Distance to the target, in momentums. */
const nearTheEnd = 20;
const quietFor = 10 * 60 * 1000;
const samplesKept = 60;

/**
 * Waits until the node is provably synced (docs/specification.md, 1.1, step 11; rules: decideSynced.ts). No temporary
 * problem ends the wait. Throws GiveUpError at the deadline and after the signal, and FatalError if the host key changed
 * or the login is refused.
 */
export async function waitForSync(options: WaitOptions, deps: SyncDeps): Promise<SyncResult> {
  const { startedAt, wait = "block", confirmations } = options;
  const startTicks = deps.ticks();
  const end = startTicks + options.deadline;
  let { startHeight } = options;
  // With `await`, a run makes one lookup, which gives no rate: compute the rate since the first run's start.
  const begin = { at: startTicks - (deps.now() - startedAt), height: startHeight ?? 0 };
  let samples: readonly Sample[] = wait === "await" && startHeight ? [begin] : [];
  let evidence = noEvidence;
  let lastLine: { at: number; key: string } | undefined;
  let standing: HeightStanding = { at: startTicks, isStalled: false };
  const observe = () => deps.client.observe();
  for (;;) {
    // Repeat a lookup that decides alone while the node may be adding a momentum.
    const observation = await (wait === "block" ? observe() : observeStable(observe, deps));
    const weighed = await decideLookup(observation, evidence, options, deps);
    const at = deps.ticks();
    evidence = weighed.evidence;
    const info = observation.kind === "answer" ? observation.info : undefined;
    const height = info?.currentHeight;
    startHeight ??= height;
    const isReconnected = observation.kind === "answer" && observation.isReconnected === true;
    if (isReconnected) deps.say(`sync: the ssh connection to ${options.address} had ended, and was made anew`);
    // The host may have been down before a new connection, and a time without a node is no part of its rate.
    const known = height === undefined || isReconnected ? [] : samples;
    samples = height === undefined ? [] : [...known, { at, height }].slice(-samplesKept);

    const before = standing;
    standing = followHeight(before, height, at, options.stallAfter);
    if (standing.isStalled !== before.isStalled) await reportStall(standing, options, deps);

    const streak = Math.min(evidence.streak, confirmations);
    const { good, why, notes } = weighed;
    const progress = computeProgress(observation, samples, { good, why, streak, confirmations, startedAt });
    await deps.seen?.(progress);
    const key = [formatProgressKey(progress), ...notes.map(dropFigures)].join();
    if (key !== lastLine?.key || at - lastLine.at >= quietFor) {
      for (const line of [formatProgress(progress), ...notes]) deps.say(`sync: ${line}`);
      lastLine = { at, key };
    }
    if (weighed.synced && observation.kind === "answer") {
      deps.notify?.("synced", `synced at height ${observation.info.currentHeight}`);
      return createSyncResult(observation, weighed, { startedAt, startHeight: startHeight ?? 0, syncedAt: deps.now() });
    }
    const remaining = end - deps.ticks();
    const what = reasonToGiveUp(good, remaining, options, deps);
    if (what !== undefined)
      throw createGiveUpError(options, what, progress, findTasks(weighed, standing.isStalled, options));
    const isNear = info !== undefined && Math.abs(info.targetHeight - info.currentHeight) <= nearTheEnd;
    await deps.sleep(Math.min(remaining, good || isNear ? shortIntervalMs : pollIntervalMs));
  }
}

function createSyncResult(
  { info, newest }: Extract<Observation, { kind: "answer" }>,
  { proved, unproved }: SyncDecision,
  times: Readonly<Record<"startedAt" | "startHeight" | "syncedAt", number>>,
): SyncResult {
  const isWitnessed = newest !== undefined && !unproved.includes(chainGap);
  return {
    ...info,
    startedAt: new Date(times.startedAt).toISOString(),
    syncedAt: new Date(times.syncedAt).toISOString(),
    startHeight: times.startHeight,
    proved,
    unproved,
    witnessed: isWitnessed ? { height: newest.height, hash: newest.hash } : undefined,
  };
}

function reasonToGiveUp(
  good: boolean,
  remaining: number,
  { wait = "block", deadline, stack }: WaitOptions,
  { signal, notify }: SyncDeps,
): string | undefined {
  if (signal?.aborted) return "is no longer watched: pulumi has ended";
  if (wait !== "block" && !good) return `is not synced yet (pillar-host:sync.wait is ${wait})`;
  if (remaining > 0) return undefined;
  const what = `has not synced within ${formatDuration(deadline)} (pillar-host:sync.deadline)`;
  notify?.("deadline", `the node ${what}; to go on waiting: ${commandsFor(stack).up}`);
  return what;
}

/** Lists what the operator has to do, because waiting alone does not help. */
function findTasks({ why, notes }: SyncDecision, isStalled: boolean, { address, stack }: WaitOptions) {
  const run = commandsFor(stack);
  const found: string[] = [];
  const needed: string[] = [];
  if (isStalled)
    needed.push("find out why the height does not advance: the facts above were read when the stall began");
  if (why.kind === "otherChain")
    needed.push(
      `if the node stays on a fork for longer than some minutes, choose Resync in the controller's menu on ${address}`,
    );
  if (why.kind === "otherChain" || why.kind === "contradicted")
    needed.push("if a reference is wrong, or of another network, take it out of pillar-host:sync.references");
  if (why.gap) {
    found.push(formatVersionGap(why.gap));
    needed.push(installLines(why.gap, run.up).join("\n  "));
  }
  if (why.kind === "unwitnessed") {
    found.push(...notes);
    const add = run.setTo("sync.references[0]", "URL");
    needed.push(`add a reference that answers (docs/operating.md, Witnesses of the chain): ${add}`);
  }
  return { found, needed };
}

async function reportStall(
  { isStalled, height }: HeightStanding,
  { stallAfter, address }: WaitOptions,
  { say, notify, readFacts }: SyncDeps,
): Promise<void> {
  if (!isStalled) {
    say(`sync: the stall is over, height ${height}`);
    notify?.("over", `the stall is over, height ${height}`);
    return;
  }
  const what = height === undefined ? "the node has not returned its height" : `the height has been ${height}`;
  const text = `${what} for ${formatDuration(stallAfter)}`;
  say(`sync: stalled: ${text}. The wait goes on. On ${address}:`);
  notify?.("stalled", text);
  const facts = await readFacts?.();
  for (const line of facts ? formatHostFacts(facts) : []) say(`  ${line}`);
  // The node itself does not report a torn database.
  say(
    "sync: a node that was killed, for example by a power cut, may stall on a torn database. If nothing above explains the stall: choose Resync in the controller's menu on the host, or copy the chain of a synced old host with pillar-host:sync.from: oldHost",
  );
}

function createGiveUpError(
  { address, service, stack, wait }: WaitOptions,
  what: string,
  progress: SyncProgress,
  { found, needed }: ReturnType<typeof findTasks>,
): GiveUpError {
  const run = commandsFor(stack);
  const text = formatProblem({
    what: `${address}: the node ${what}`,
    found: [formatProgress(progress), ...found],
    needed,
    next: [
      `Nothing is lost. To go on waiting, from the same start: ${run.up}`,
      `Watch the sync live: ${run.status("--watch")}; on the host: systemctl status ${service}`,
    ],
  });
  return Object.assign(new Error(text), { isAwaiting: wait === "await" && needed.length === 0 });
}
