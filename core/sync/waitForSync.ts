import type { Momentum, NodeClient, Observation } from "../chain/node";
import { installLines, type VersionGap, versionGapText } from "../chain/requiredVersions";
import type { NodeHostFacts } from "../ssh/hostFacts";
import { hostFactLines } from "../ssh/hostFactsText";
import type { Clock } from "../util/clock";
import { commandsFor } from "../util/commands";
import { durationText } from "../util/timeText";
import { chainGap, type Evidence, type EvidenceOptions, noEvidence, refuseOldVersion, weigh } from "./evidence";
import { progressText, referenceKey, referenceText } from "./messages";
import { pauseAfter } from "./pace";
import { type GateNews, progressKey, progressOf, type Sample, type SyncProgress } from "./progress";
import type { ReferenceNote, ReferencesSeen } from "./references";
import { observeSettled } from "./settled";
import { followHeight, type HeightStanding } from "./stall";
import { isAsserted, judgeSync } from "./verdict";

/** How the gate decides; the same for every run. */
export interface GateSettings extends EvidenceOptions {
  /** Whose node it is: what an operator is told to type names it. */
  readonly stack: string;
  /** Milliseconds that a run waits. */
  readonly deadline: number;
  /** Milliseconds without a new height that are a stall. */
  readonly stallAfter: number;
  /** Look once and give up where it is not synced: for those who would not keep a process for days. */
  readonly check: boolean;
  /** The node's, for errors. */
  readonly service: string;
}

/** What one run of the wait knows. */
export interface WaitOptions extends GateSettings {
  /** Unix milliseconds of the first look ever, kept over runs. */
  readonly startedAt: number;
  /** The height at that look. */
  readonly startHeight?: number | undefined;
  /** For errors. */
  readonly address: string;
}

/** What the loop depends on. */
export interface SyncDeps extends Clock {
  readonly client: NodeClient;
  /**
   * Asks the independent nodes, and what they and the node can be compared by; never throws.
   *
   * @param newest the node's newest momentum, where it tells it
   */
  readReferences(newest: Momentum | undefined): Promise<ReferencesSeen>;
  /** Which required versions the node lacks at its height; never throws. */
  readVersionGaps?(height: number): Promise<readonly VersionGap[]>;
  say(news: GateNews): void;
  /** Called at every turn: what goes on beside the wait. Returns at once and never throws. */
  meanwhile?(): void;
  /** Told of every look, news or not. */
  seen?(progress: SyncProgress): void;
  /** Tells somebody who does not watch; never waits and never throws. */
  notify?(event: "synced" | "stalled" | "over" | "deadline", text: string): void;
  /** What there is to look at on the host, a line each; never throws. */
  readFacts?(): Promise<NodeHostFacts>;
  /** Aborted once nobody waits for the result: the engine was killed. */
  readonly signal?: AbortSignal;
}

/** What was proved, and what was seen on the way. */
export interface SyncRecord {
  readonly state: number;
  readonly currentHeight: number;
  readonly targetHeight: number;
  readonly startHeight: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly syncedAt: number;
  readonly proved: readonly string[];
  readonly unproved: readonly string[];
  /** The node's newest momentum, where a witness confirmed its chain. */
  readonly witnessed?: Pick<Momentum, "height" | "hash"> | undefined;
}

/** A wait that ended in an error: carries what it saw, so that the next run goes on from there. */
export interface GaveUp extends Error {
  gaveUp: { readonly startHeight?: number | undefined; readonly last?: Observation | undefined };
}

const quietFor = 10 * 60 * 1000;
const samplesKept = 60;
const checkPatience = 20;

/**
 * Looks until the node is provably synced (docs/specification.md, 1.1, step 11; evidence.ts says what counts). Nothing
 * that comes and goes ends it.
 *
 * @throws GaveUp at the deadline, when nobody wants the answer any more, and (then a FatalError too) when the host key
 *   changed or the login is refused
 */
export async function waitForSync(options: WaitOptions, deps: SyncDeps): Promise<SyncRecord> {
  const begun = deps.ticks();
  const tell = (text: string) => deps.say({ kind: "told", text });
  let samples: Sample[] = [];
  let startHeight = options.startHeight;
  let evidence: Evidence = noEvidence;
  let failures = 0;
  let stretch = 0;
  let said: { at: number; key: string } | undefined;
  let standing: HeightStanding = { at: begun, isStalled: false };
  for (;;) {
    deps.meanwhile?.();
    const look = () => deps.client.observe();
    // Nobody looks again, where one look decides.
    const observation = await (options.check ? observeSettled(look, deps) : look()).catch((error: Error) => {
      throw Object.assign(error, { gaveUp: { startHeight } });
    });
    const asked = observation.kind === "answer" && isAsserted(judgeSync(observation, deps.now()));
    const references = asked ? await deps.readReferences(observation.newest) : { readings: [] };
    const at = deps.ticks();
    const byChain = weigh(evidence, { observation, ...references, at, clock: deps.now() }, options);
    evidence = byChain.evidence;
    // Only in a look that would prove it, as it costs a call; and in each of those, as the node may be upgraded meanwhile.
    const isProof = byChain.synced && observation.kind === "answer";
    const gaps = isProof ? await deps.readVersionGaps?.(observation.info.currentHeight) : undefined;
    const weighed = refuseOldVersion(byChain, gaps ?? []);
    if (observation.kind === "answer") {
      if (observation.isReconnected) {
        // The host may have been down in between.
        if (failures === 0) stretch += 1;
        tell(`the ssh connection to ${options.address} had ended, and was made anew`);
      }
      failures = 0;
      const { currentHeight } = observation.info;
      startHeight ??= currentHeight;
      samples = [...samples, { at, height: currentHeight, stretch }].slice(-samplesKept);
    } else {
      if (failures === 0) stretch += 1;
      failures += 1;
    }

    const height = observation.kind === "answer" ? observation.info.currentHeight : undefined;
    const followed = followHeight(standing, height, at, options.stallAfter);
    standing = followed.standing;
    if (followed.news) await tellOfStall(followed.news, standing, options, deps);

    const streak = Math.min(evidence.streak, options.confirmations);
    const { good, why, notes } = weighed;
    const { confirmations, startedAt } = options;
    const progress = progressOf(observation, samples, { good, why, streak, confirmations, startedAt });
    deps.seen?.(progress);
    const key = [progressKey(progress), ...notes.map(referenceKey)].join();
    if (key !== said?.key || at - said.at >= quietFor) {
      deps.say({ kind: "progress", progress });
      for (const note of notes) tell(referenceText(note));
      said = { at, key };
    }
    if (weighed.synced && observation.kind === "answer") {
      const { proved, unproved } = weighed;
      const { newest } = observation;
      const isWitnessed = newest !== undefined && !unproved.includes(chainGap);
      const witnessed = isWitnessed ? { height: newest.height, hash: newest.hash } : undefined;
      deps.notify?.("synced", `synced at height ${observation.info.currentHeight}`);
      const times = { startedAt, syncedAt: deps.now() };
      return {
        ...observation.info,
        startHeight: startHeight ?? 0,
        ...times,
        proved,
        unproved,
        witnessed,
      };
    }

    const giveUp = (what: string): GaveUp => {
      const hints = [
        ...(standing.isStalled ? [stallHint] : []),
        ...(why.kind === "otherChain" ? forkHints(options) : []),
        ...(why.kind === "oldVersion" ? versionHints(why.gap, options) : []),
        ...(why.kind === "unwitnessed" ? witnessHints(options, notes) : []),
      ];
      const text = gaveUpText(options, what, progressText(progress), hints);
      return Object.assign(new Error(text), { gaveUp: { startHeight, last: observation } });
    };
    if (deps.signal?.aborted) throw giveUp("is watched by nobody any more: the engine that waited is gone");
    // Good looks that nothing proves are no reason to stay.
    const pointless = evidence.streak > options.confirmations + checkPatience;
    if (options.check && (!weighed.good || pointless))
      throw giveUp("is not synced yet (pillar-host:sync.wait is check)");
    const remaining = options.deadline - (deps.ticks() - begun);
    if (remaining <= 0) {
      const what = `has not synced within ${durationText(options.deadline)} (pillar-host:sync.deadline)`;
      deps.notify?.("deadline", `the node ${what}; to go on waiting: ${commandsFor(options.stack).up}`);
      throw giveUp(what);
    }
    const isNews = weighed.good || samples.length <= 1;
    await deps.sleep(Math.min(remaining, pauseAfter({ observation, isNews, failures, samples })));
  }
}

async function tellOfStall(
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
  const what = height === undefined ? "the node has not told its height" : `the height stands at ${height}`;
  const text = `stalled: ${what} for ${durationText(stallAfter)}. The wait goes on. On ${address}:`;
  deps.say({ kind: "told", text });
  deps.notify?.("stalled", `${what} for ${durationText(stallAfter)}`);
  const facts = await deps.readFacts?.();
  for (const line of facts ? hostFactLines(facts) : []) deps.say({ kind: "fact", text: line });
  deps.say({ kind: "told", text: tornHint });
}

/** The node itself never says so. */
const tornHint =
  "a node that was killed, by a power cut too, may stand still on a torn database. If nothing above explains the stall: Resync in the controller's menu on the host, or copy the chain of a synced old host with pillar-host:sync.from: oldHost";

const stallHint = "  The height does not move: what to look at stands above, where the stall was noticed.";

/** What is needed of a node on another chain: it never passes by waiting alone. */
function forkHints({ address }: WaitOptions): string[] {
  return [
    "  needed: the chain of the references. A node that is on a fork for longer than some minutes is resynced: Resync in the menu",
    `  of the controller on ${address}. Where a reference is of another network, take it out of pillar-host:sync.references.`,
  ];
}

/** Says what is needed while no witness of the chain answers. */
function witnessHints({ stack }: WaitOptions, notes: readonly ReferenceNote[]): string[] {
  return [
    ...notes.map((note) => `  found: ${referenceText(note)}`),
    "  needed: one witness that answers: add another reference (docs/operating.md, Witnesses of the chain):",
    `  ${commandsFor(stack).setTo("sync.references[0]", "URL")}`,
  ];
}

/** Says what a node needs that lacks a required version: waiting alone never helps. */
function versionHints(gap: VersionGap, { stack }: WaitOptions): string[] {
  const [install, ...more] = installLines(gap, commandsFor(stack).up);
  return [`  found: ${versionGapText(gap)}`, `  needed: ${install}`, ...more.map((line) => `  ${line}`)];
}

function gaveUpText({ address, service, stack }: WaitOptions, what: string, last: string, hints: string[]): string {
  const run = commandsFor(stack);
  return [
    `${address}: the node ${what}`,
    `  last seen: ${last}`,
    ...hints,
    `  Nothing is lost. To go on waiting, from the same start: ${run.up}`,
    `  See it live: ${run.status("--watch")}; on the host: systemctl status ${service}`,
  ].join("\n");
}
