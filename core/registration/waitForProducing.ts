import type { Clock } from "../util/clock";
import { commandsFor } from "../util/commands";
import { durationText } from "../util/timeText";
import { keyOf, noteText, sentenceOf, walletClicks, wayBack } from "./messages";
import { isOurs, type Registration } from "./registration";

/** What one wait knows. */
export interface CutoverOptions {
  readonly stack: string;
  readonly pillar: string;
  /** This host's producer address. */
  readonly ours: string;
  /** The host's, for errors. */
  readonly address: string;
  /** Milliseconds that a run waits. */
  readonly deadline: number;
}

/** What the loop depends on. */
export interface CutoverDeps extends Clock {
  /** Looks, and records what is news; never throws. */
  look(): Promise<Registration>;
  say(line: string): void;
  /** Tells somebody who does not watch; never waits and never throws. */
  notify?(event: "producing" | "deadline", text: string): void;
  /** Aborted once nobody waits for the result: the engine was killed. */
  readonly signal?: AbortSignal;
}

export type Producing = Extract<Registration, { kind: "producing" }>;

/** One momentum of the network: no more often is there news. */
const pause = 10_000;
const quietFor = 10 * 60_000;

/**
 * Looks until momentums carry this host's address. An RPC that is silent, a host that reboots, a node that falls behind
 * and an update that is taken back are said and waited through.
 *
 * @throws Error, marked `gaveUp`, at the deadline and when nobody wants the answer any more
 */
export async function waitForProducing(options: CutoverOptions, deps: CutoverDeps): Promise<Producing> {
  const { pillar, ours, deadline } = options;
  const begun = deps.ticks();
  let said: { key: string; at: number } | undefined;
  let isTold = false;
  for (;;) {
    const registration = await deps.look();
    const sentence = sentenceOf(registration, pillar, deps.now());
    const key = keyOf(registration);
    if (key !== said?.key || deps.ticks() - said.at >= quietFor) {
      deps.say(`cutover: ${sentence}`);
      if (key !== said?.key) for (const note of registration.notes) deps.say(`cutover: ${noteText(note)}`);
      said = { key, at: deps.ticks() };
      if (registration.kind === "tooEarly") deps.say(`cutover: ${wayBack(pillar, registration.earlier)}`);
    }
    if (registration.kind === "producing") {
      deps.notify?.("producing", sentence);
      return registration;
    }
    // This run does not end before that is done, and with it what shows the address.
    if (!isTold && ["earlier", "unknownPillar"].includes(registration.kind)) {
      deps.say(
        `cutover: waiting for this in the desktop wallet (to stop: Ctrl-C twice; to go on: ${commandsFor(options.stack).up}):`,
      );
      for (const line of walletClicks(pillar, ours)) deps.say(`cutover: ${line}`);
      isTold = true;
    }
    const giveUp = (what: string) =>
      Object.assign(new Error(gaveUpText(options, what, sentence, isOurs(registration))), { gaveUp: true });
    if (deps.signal?.aborted) throw giveUp("the engine that waited is gone");
    const remaining = deadline - (deps.ticks() - begun);
    if (remaining <= 0) {
      deps.notify?.("deadline", `no momentum carries the new producer address: ${sentence}`);
      throw giveUp(`waited ${durationText(deadline)} (pillar-host:cutover.deadline)`);
    }
    await deps.sleep(Math.min(remaining, pause));
  }
}

function gaveUpText({ address, stack }: CutoverOptions, what: string, sentence: string, isRegistered: boolean): string {
  const { up, remove } = commandsFor(stack);
  return [
    `${address}: no momentum carries this host's producer address yet, ${what}`,
    `  last seen: ${sentence}`,
    `  Keep the old host running${isRegistered ? ": it produces until then." : ", and update the wallet if that is still to be done."}`,
    `  Nothing is lost. To go on waiting: ${up}`,
    `  Not to wait: ${remove("cutover.wait")}`,
  ].join("\n");
}
