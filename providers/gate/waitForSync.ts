import type { NodeClient, Observation } from "../rpc/node";
import { type Evidence, type EvidenceOptions, noEvidence, weigh } from "./evidence";
import { nextLook, progressLine, rateOf, type Sample, spoken, timeLeft } from "./progress";
import type { ReferenceReading } from "./references";
import { judge } from "./verdict";

/** How the gate decides; the same for every run. */
export interface GateSettings extends EvidenceOptions {
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

/** The world, as the loop sees it. */
export interface World {
  readonly client: NodeClient;
  /** Asks the independent nodes; never throws. */
  readReferences(): Promise<readonly ReferenceReading[]>;
  /** Unix milliseconds: may jump, for example when a laptop wakes. */
  now(): number;
  /** Milliseconds of a clock that never jumps. */
  ticks(): number;
  sleep(milliseconds: number): Promise<void>;
  say(line: string): void;
  /** False once nobody waits for the result: the engine was killed. */
  isWanted(): boolean;
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
}

/** A wait that gave up: carries what it saw, so that the next run goes on from there. */
export interface GaveUp extends Error {
  gaveUp: { readonly startHeight?: number | undefined; readonly last?: Observation | undefined };
}

const quietFor = 10 * 60 * 1000;
const samplesKept = 60;
const shortestPause = 2000;
const longestRetry = 15_000;
const checkPatience = 20;

/**
 * Looks until the node is provably synced (specification, step 11; evidence.ts says what counts). Nothing that comes
 * and goes ends it.
 *
 * @throws GaveUp at the deadline, or when nobody wants the answer any more; FatalError when the host key changed
 */
export async function waitForSync(options: WaitOptions, world: World): Promise<SyncRecord> {
  const begun = world.ticks();
  let samples: Sample[] = [];
  let startHeight = options.startHeight;
  let evidence: Evidence = noEvidence;
  let failures = 0;
  let stretch = 0;
  let said: { at: number; key: string } | undefined;
  let moved: { height: number; at: number; stalled: boolean } | undefined;
  for (;;) {
    const observation = await world.client.observe();
    const readings = judge(observation).synced ? await world.readReferences() : [];
    const at = world.ticks();
    const weighed = weigh(evidence, { observation, readings, at, clock: world.now() }, options);
    evidence = weighed.evidence;
    let left: number | undefined;
    if (observation.kind === "answer") {
      failures = 0;
      const { currentHeight, targetHeight } = observation.info;
      startHeight ??= currentHeight;
      samples = [...samples, { at, height: currentHeight, stretch }].slice(-samplesKept);
      left = timeLeft(currentHeight, targetHeight, rateOf(samples));
    } else {
      if (failures === 0) stretch += 1;
      failures += 1;
    }

    const count = `${Math.min(evidence.streak, options.confirmations)} of ${options.confirmations} looks`;
    const line = progressLine(observation, samples, { ...weighed, confirmed: count });
    // A momentum's age and the references' heights change with every look: that is no news.
    const key = [newsOf(observation, Math.min(evidence.streak, options.confirmations)), weighed.why, ...weighed.notes]
      .join()
      .replace(/-?\d+ s old|\d{3,}/g, "");
    if (key !== said?.key || at - said.at >= quietFor) {
      world.say(line);
      for (const note of weighed.notes) world.say(`sync: ${note}`);
      said = { at, key };
    }
    if (weighed.synced && observation.kind === "answer") {
      const { startedAt } = options;
      const { proved, unproved } = weighed;
      return { ...observation.info, startHeight: startHeight ?? 0, startedAt, syncedAt: world.now(), proved, unproved };
    }

    const height = observation.kind === "answer" ? observation.info.currentHeight : moved?.height;
    if (height !== undefined && height !== moved?.height) {
      if (moved?.stalled) world.say(`sync: the stall is over, height ${height}`);
      moved = { height, at, stalled: false };
    } else if (moved && !moved.stalled && at - moved.at >= options.stallAfter) {
      moved = { ...moved, stalled: true };
      world.say(stallText(options, moved.height));
    }

    const text = (what: string) => gaveUpText(options, what, line);
    if (!world.isWanted()) throw giveUp("the engine that waited for the sync is gone", startHeight, observation);
    // Good looks that nothing proves are no reason to stay.
    const pointless = evidence.streak > options.confirmations + checkPatience;
    if (options.check && (!weighed.good || pointless))
      throw giveUp(text("is not synced yet (pillar-host:sync.wait is check)"), startHeight, observation);
    const remaining = options.deadline - (at - begun);
    if (remaining <= 0) {
      throw giveUp(
        text(`has not synced within ${spoken(options.deadline)} (pillar-host:sync.deadline)`),
        startHeight,
        observation,
      );
    }
    await world.sleep(Math.min(remaining, pauseAfter({ good: weighed.good, failures, looks: samples.length, left })));
  }
}

/** Milliseconds until the next look (pure): 2 s while it counts, growing while nothing answers, else by what is left. */
export function pauseAfter(look: { good: boolean; failures: number; looks: number; left: number | undefined }): number {
  if (look.failures > 0) return Math.min(longestRetry, shortestPause * 2 ** (look.failures - 1));
  return look.good || look.looks <= 1 ? shortestPause : nextLook(look.left);
}

/** Two looks with the same news have nothing new to say: each twentieth of the way, and where the count is (pure). */
function newsOf(observation: Observation, streak: number): string {
  if (observation.kind === "none") return observation.reason;
  const { state, currentHeight, targetHeight } = observation.info;
  const step = targetHeight > 0 ? Math.floor((currentHeight / targetHeight) * 20) : 0;
  return `${state}:${step}:${streak}`;
}

function stallText({ stallAfter, service, address }: WaitOptions, height: number): string {
  return (
    `sync: stalled: the height stands at ${height} since ${spoken(stallAfter)}. Going on to wait. Look on ${address} at: ` +
    `systemctl status ${service}, journalctl -u ${service} -n 50, df -h, free -m, and whether the P2P port is open to the world`
  );
}

function gaveUpText({ address, service }: WaitOptions, what: string, line: string): string {
  return (
    `${address}: the node ${what}\n  last seen: ${line}\n` +
    "  Nothing is lost: pulumi up again goes on waiting, with the same start.\n" +
    `  Look at the host first if the height does not move: systemctl status ${service}, free disk, memory, open P2P port.`
  );
}

function giveUp(message: string, startHeight: number | undefined, last: Observation): GaveUp {
  return Object.assign(new Error(message), { gaveUp: { startHeight, last } });
}
