import type { NodeClient, Observation } from "../rpc/node";
import { nextLook, progressLine, rateOf, type Sample, spoken, timeLeft } from "./progress";
import { judge } from "./verdict";

export interface WaitOptions {
  /** Good looks in a row. */
  readonly confirmations: number;
  /** Milliseconds from `startedAt`. */
  readonly deadline: number;
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
  /** Unix milliseconds. */
  now(): number;
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
}

/** A wait that gave up: carries what it saw, so that the next run goes on from there. */
export interface GaveUp extends Error {
  gaveUp: { readonly startHeight?: number | undefined; readonly last?: Observation | undefined };
}

const quietFor = 10 * 60 * 1000;
const samplesKept = 60;

/**
 * Looks until the node is synced: `confirmations` good looks in a row (specification, step 11).
 *
 * @throws GaveUp at the deadline, or when nobody wants the answer any more; FatalError when the host key changed
 */
export async function waitForSync(options: WaitOptions, world: World): Promise<SyncRecord> {
  let samples: Sample[] = [];
  let startHeight = options.startHeight;
  let streak = 0;
  let said: { at: number; key: string } | undefined;
  for (;;) {
    const observation = await world.client.observe();
    const at = world.now();
    const { synced } = judge(observation);
    streak = synced ? streak + 1 : 0;
    let left: number | undefined;
    if (observation.kind === "answer") {
      const { currentHeight, targetHeight } = observation.info;
      startHeight ??= currentHeight;
      samples = [...samples, { at, height: currentHeight }].slice(-samplesKept);
      left = timeLeft(currentHeight, targetHeight, rateOf(samples));
    }
    const key = newsOf(observation, streak);
    if (key !== said?.key || at - said.at >= quietFor) {
      world.say(
        progressLine(
          observation,
          samples,
          `${Math.min(streak, options.confirmations)} of ${options.confirmations} looks`,
        ),
      );
      said = { at, key };
    }
    if (observation.kind === "answer" && streak >= options.confirmations) {
      const { state, currentHeight, targetHeight } = observation.info;
      return {
        state,
        currentHeight,
        targetHeight,
        startHeight: startHeight ?? currentHeight,
        startedAt: options.startedAt,
        syncedAt: at,
      };
    }
    if (!world.isWanted()) throw giveUp("the engine that waited for the sync is gone", startHeight, observation);
    if (at - options.startedAt >= options.deadline)
      throw giveUp(deadlineText(options, observation, samples), startHeight, observation);
    await world.sleep(streak > 0 || samples.length === 1 ? 2000 : nextLook(left));
  }
}

/** Two looks with the same key have nothing new to say: each twentieth of the way, and why it is not synced (pure). */
function newsOf(observation: Observation, streak: number): string {
  if (observation.kind === "none") return observation.reason;
  const { state, currentHeight, targetHeight } = observation.info;
  const step = targetHeight > 0 ? Math.floor((currentHeight / targetHeight) * 20) : 0;
  // A momentum's age changes with every look.
  const why = judge(observation).why.replace(/-?\d+ s old/, "");
  return [state, step, streak, why].join();
}

function deadlineText(options: WaitOptions, observation: Observation, samples: readonly Sample[]): string {
  return (
    `${options.address}: the node has not synced within ${spoken(options.deadline)} (pillar-host:sync.deadline)\n` +
    `  last seen: ${progressLine(observation, samples, "")}\n` +
    "  Nothing is lost: run pulumi up again to go on waiting, with a longer sync.deadline.\n" +
    "  Look at the host first if the height does not move: systemctl status go-node, free disk, memory, port 35995."
  );
}

function giveUp(message: string, startHeight: number | undefined, last: Observation): GaveUp {
  return Object.assign(new Error(message), { gaveUp: { startHeight, last } });
}
