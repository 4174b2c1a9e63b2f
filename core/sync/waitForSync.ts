import type { Momentum, NodeClient, Observation, SyncInfo } from "../chain/node";
import { formatVersionGap, installLines, type VersionGap } from "../chain/requiredVersions";
import type { SyncProof } from "../eventLog/events";
import type { NodeHostFacts } from "../ssh/hostFacts";
import { formatHostFacts } from "../ssh/hostFactsText";
import type { Clock } from "../util/clock";
import { commandsFor } from "../util/commands";
import { formatProblem } from "../util/problem";
import { formatDuration } from "../util/timeText";
import type { WaitMode } from "../util/unattended";
import {
  chainGap,
  decideSynced,
  type Evidence,
  type EvidenceOptions,
  noEvidence,
  refuseOldVersion,
  type SyncDecision,
} from "./decideSynced";
import { claimsSynced, judgeObservation } from "./judgeObservation";
import { observeStable } from "./observeStable";
import { pollIntervalMs } from "./pollInterval";
import { computeProgress, formatProgressKey, type GateMessage, type Sample, type SyncProgress } from "./progress";
import type { ReferenceAnswers } from "./references";
import { followHeight, type HeightStanding } from "./stall";
import { formatProgress } from "./syncMessages";

export interface GateSettings extends EvidenceOptions {
  readonly stack: string;
  /** Milliseconds that one run waits. */
  readonly deadline: number;
  /** Milliseconds without a new height that count as a stall. */
  readonly stallAfter: number;
  readonly wait?: WaitMode | undefined;
  readonly service: string;
}

export interface WaitOptions extends GateSettings {
  /** Unix milliseconds of the first lookup of all runs. */
  readonly startedAt: number;
  readonly startHeight?: number | undefined;
  readonly address: string;
}

export interface SyncDeps extends Clock {
  readonly client: NodeClient;
  /** Reads the independent nodes, and the momentums that are needed to compare them with the node. Never throws. */
  readReferences(newest: Momentum | undefined): Promise<ReferenceAnswers>;
  /** Returns the required versions that the node lacks at a height. Never throws. */
  readVersionGaps?(height: number): Promise<readonly VersionGap[]>;
  say(news: GateMessage): void;
  /** Starts work beside the wait, in every round. Returns at once and never throws. */
  meanwhile?(): void;
  seen?(progress: SyncProgress): void;
  /** Sends a webhook notification. Returns at once and never throws. */
  notify?(event: "synced" | "stalled" | "over" | "deadline", text: string): void;
  /** Reads facts that may explain a stall. Never throws. */
  readFacts?(): Promise<NodeHostFacts>;
  /** Aborted once the engine was killed: then nobody waits for the result. */
  readonly signal?: AbortSignal;
}

export type SyncResult = SyncProof & SyncInfo;

/** Carries what the wait saw, so that the next run resumes there. */
export interface GiveUpError extends Error {
  gaveUp: { readonly startHeight?: number | undefined; readonly last?: Observation | undefined };
  /** True if nothing failed: the run ends as awaiting, with exit code 10. */
  readonly isAwaiting?: boolean;
}

const quietFor = 10 * 60 * 1000;
const samplesKept = 60;
const checkPatience = 20;

/**
 * Waits until the node is provably synced (docs/specification.md, 1.1, step 11; rules: decideSynced.ts). No temporary
 * problem ends the wait. Throws GiveUpError at the deadline and after the signal, and FatalError (with `gaveUp`, too) if the
 * host key changed or the login is refused.
 */
export async function waitForSync(options: WaitOptions, deps: SyncDeps): Promise<SyncResult> {
  const startTicks = deps.ticks();
  const tell = (text: string) => deps.say({ kind: "told", text });
  const { startedAt, wait = "block" } = options;
  let startHeight = options.startHeight;
  // With `await`, a run makes one lookup, which gives no rate: compute the rate since the first run's start.
  const begin = { at: startTicks - (deps.now() - startedAt), height: startHeight ?? 0, stretch: 0 };
  let track: Track = { samples: wait === "await" && options.startHeight ? [begin] : [], stretch: 0, failures: 0 };
  let evidence: Evidence = noEvidence;
  let lastLine: { at: number; key: string } | undefined;
  let standing: HeightStanding = { at: startTicks, isStalled: false };
  for (;;) {
    deps.meanwhile?.();
    const look = () => deps.client.observe();
    // Repeat a lookup that decides alone while the node may be adding a momentum.
    const observation = await (wait === "block" ? look() : observeStable(look, deps)).catch((error: Error) => {
      throw Object.assign(error, { gaveUp: { startHeight } });
    });
    const { at, weighed } = await decideLookup(observation, evidence, options, deps);
    evidence = weighed.evidence;
    const height = observation.kind === "answer" ? observation.info.currentHeight : undefined;
    if (observation.kind === "answer" && observation.isReconnected)
      tell(`the ssh connection to ${options.address} had ended, and was made anew`);
    startHeight ??= height;
    track = updateTrack(track, height, observation.kind === "answer" && observation.isReconnected === true, at);

    const followed = followHeight(standing, height, at, options.stallAfter);
    standing = followed.standing;
    if (followed.news) await reportStall(followed.news, standing, options, deps);

    const { good, why, notes } = weighed;
    const { confirmations } = options;
    const streak = Math.min(evidence.streak, confirmations);
    const progress = computeProgress(observation, track.samples, { good, why, streak, confirmations, startedAt });
    deps.seen?.(progress);
    const key = [formatProgressKey(progress), ...notes.map((note) => note.key)].join();
    if (key !== lastLine?.key || at - lastLine.at >= quietFor) {
      deps.say({ kind: "progress", progress });
      for (const note of notes) tell(note.text);
      lastLine = { at, key };
    }
    if (weighed.synced && observation.kind === "answer") {
      deps.notify?.("synced", `synced at height ${observation.info.currentHeight}`);
      return createSyncResult(observation, weighed, { startedAt, startHeight, syncedAt: deps.now() });
    }
    const remaining = options.deadline - (deps.ticks() - startTicks);
    const what = reasonToGiveUp(weighed, remaining, options, deps);
    if (what !== undefined) {
      const tasks = findTasks(weighed, standing, options);
      const text = formatGiveUp(options, what, formatProgress(progress), tasks);
      const isAwaiting = wait === "await" && tasks.needed.length === 0;
      const gaveUp = { startHeight, last: observation };
      throw Object.assign(new Error(text), { gaveUp, isAwaiting }) satisfies GiveUpError;
    }
    const { samples, failures } = track;
    const isNews = good || samples.length <= 1;
    await deps.sleep(Math.min(remaining, pollIntervalMs({ observation, isNews, failures, samples })));
  }
}

async function decideLookup(
  observation: Observation,
  evidence: Evidence,
  options: WaitOptions,
  deps: SyncDeps,
): Promise<{ readonly at: number; readonly weighed: SyncDecision }> {
  const isClaimed = observation.kind === "answer" && claimsSynced(judgeObservation(observation, deps.now()));
  const references = isClaimed ? await deps.readReferences(observation.newest) : { readings: [] };
  const at = deps.ticks();
  const byChain = decideSynced(evidence, { observation, ...references, at, clock: deps.now() }, options);
  // Ask for the version only before a proof, because that costs a call. Do not cache it: the node may be upgraded.
  const isProof = byChain.synced && observation.kind === "answer";
  const gaps = isProof ? await deps.readVersionGaps?.(observation.info.currentHeight) : undefined;
  return { at, weighed: refuseOldVersion(byChain, gaps ?? []) };
}

interface Track {
  readonly samples: readonly Sample[];
  /** Grows when the node stops answering or is reached over a new connection. */
  readonly stretch: number;
  readonly failures: number;
}

function updateTrack(before: Track, height: number | undefined, isReconnected: boolean, at: number): Track {
  const { samples, failures } = before;
  // A new connection ends a stretch, too: the host may have been down before.
  const isGap = failures === 0 && (height === undefined || isReconnected);
  const stretch = before.stretch + (isGap ? 1 : 0);
  if (height === undefined) return { samples, stretch, failures: failures + 1 };
  return { samples: [...samples, { at, height, stretch }].slice(-samplesKept), stretch, failures: 0 };
}

function createSyncResult(
  { info, newest }: Extract<Observation, { kind: "answer" }>,
  { proved, unproved }: SyncDecision,
  times: { readonly startedAt: number; readonly startHeight?: number | undefined; readonly syncedAt: number },
): SyncResult {
  const isWitnessed = newest !== undefined && !unproved.includes(chainGap);
  return {
    ...info,
    startedAt: new Date(times.startedAt).toISOString(),
    syncedAt: new Date(times.syncedAt).toISOString(),
    startHeight: times.startHeight ?? 0,
    proved,
    unproved,
    witnessed: isWitnessed ? { height: newest.height, hash: newest.hash } : undefined,
  };
}

function reasonToGiveUp(
  { good, evidence }: SyncDecision,
  remaining: number,
  { wait = "block", confirmations, deadline, stack }: WaitOptions,
  { signal, notify }: SyncDeps,
): string | undefined {
  if (signal?.aborted) return "is no longer watched: pulumi has ended";
  // Without a wait, the run also ends if many good lookups in a row still do not prove the sync.
  const isPointless = evidence.streak > confirmations + checkPatience;
  if (wait !== "block" && (!good || isPointless)) return `is not synced yet (pillar-host:sync.wait is ${wait})`;
  if (remaining > 0) return undefined;
  const what = `has not synced within ${formatDuration(deadline)} (pillar-host:sync.deadline)`;
  notify?.("deadline", `the node ${what}; to go on waiting: ${commandsFor(stack).up}`);
  return what;
}

/** Lists what the operator has to do, because waiting alone does not help. */
function findTasks({ why, notes }: SyncDecision, { isStalled }: HeightStanding, { address, stack }: WaitOptions) {
  const run = commandsFor(stack);
  const found: string[] = [];
  const needed: string[] = [];
  if (isStalled)
    needed.push("find out why the height does not advance: the facts above were read when the stall began");
  if (why.kind === "otherChain")
    needed.push(
      `if the node stays on a fork for longer than some minutes, choose Resync in the controller's menu on ${address}`,
      "if a reference is of another network, take it out of pillar-host:sync.references",
    );
  if (why.gap) {
    found.push(formatVersionGap(why.gap));
    needed.push(installLines(why.gap, run.up).join("\n  "));
  }
  if (why.kind === "unwitnessed") {
    found.push(...notes.map(({ text }) => text));
    const add = run.setTo("sync.references[0]", "URL");
    needed.push(`add a reference that answers (docs/operating.md, Witnesses of the chain): ${add}`);
  }
  return { found, needed };
}

async function reportStall(
  news: "stalled" | "over",
  { height }: HeightStanding,
  { stallAfter, address }: WaitOptions,
  deps: SyncDeps,
): Promise<void> {
  if (news === "over") {
    deps.say({ kind: "told", text: `the stall is over, height ${height}` });
    deps.notify?.("over", `the stall is over, height ${height}`);
    return;
  }
  const what = height === undefined ? "the node has not returned its height" : `the height has been ${height}`;
  const text = `stalled: ${what} for ${formatDuration(stallAfter)}. The wait goes on. On ${address}:`;
  deps.say({ kind: "told", text });
  deps.notify?.("stalled", `${what} for ${formatDuration(stallAfter)}`);
  const facts = await deps.readFacts?.();
  for (const line of facts ? formatHostFacts(facts) : []) deps.say({ kind: "fact", text: line });
  deps.say({ kind: "told", text: tornHint });
}

/** Printed as a hint, because the node itself does not report a torn database. */
const tornHint =
  "a node that was killed, for example by a power cut, may stall on a torn database. If nothing above explains the stall: choose Resync in the controller's menu on the host, or copy the chain of a synced old host with pillar-host:sync.from: oldHost";

type Tasks = ReturnType<typeof findTasks>;

function formatGiveUp({ address, service, stack }: WaitOptions, what: string, last: string, tasks: Tasks): string {
  const run = commandsFor(stack);
  return formatProblem({
    what: `${address}: the node ${what}`,
    found: [last, ...tasks.found],
    needed: tasks.needed,
    next: [
      `Nothing is lost. To go on waiting, from the same start: ${run.up}`,
      `Watch the sync live: ${run.status("--watch")}; on the host: systemctl status ${service}`,
    ],
  });
}
