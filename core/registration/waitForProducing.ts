import type { Clock } from "../util/clock";
import { commandsFor } from "../util/commands";
import { formatDuration } from "../util/timeText";
import { isOurs, type Registration } from "./registration";
import {
  formatRegistration,
  formatRegistrationKey,
  formatWalletClicks,
  formatWayBack,
  noteText,
} from "./registrationMessages";

interface CutoverOptions {
  readonly stack: string;
  readonly pillar: string;
  readonly ours: string;
  /** The host's ssh address, for error messages. */
  readonly address: string;
  /** Milliseconds that one run waits. */
  readonly deadline: number;
  /** True if one lookup decides, and a run without the switch ends as awaiting. */
  readonly isOnce: boolean;
}

interface CutoverDeps extends Clock {
  /** Reads the registration and writes changes to the event log. Never throws. */
  look(): Promise<Registration>;
  say(line: string): void;
  /** Sends a webhook notification. Returns at once and never throws. */
  notify?(event: "producing" | "deadline", text: string): void;
  /** Aborted once the engine was killed, so that nobody waits for the result. */
  readonly signal?: AbortSignal;
}

type Producing = Extract<Registration, { kind: "producing" }>;

/** The time of one momentum: the state changes no faster. */
const pause = 10_000;
const quietFor = 10 * 60_000;

/**
 * Waits until momentums carry this host's producer address, also while an RPC does not answer, the host reboots, the
 * node falls behind, or the wallet update is undone.
 *
 * @throws Error, marked `gaveUp`, at the deadline or if the engine is gone
 */
export async function waitForProducing(options: CutoverOptions, deps: CutoverDeps): Promise<Producing> {
  const { pillar, ours, deadline, isOnce } = options;
  const begun = deps.ticks();
  let said: { key: string; at: number } | undefined;
  let isTold = false;
  for (;;) {
    const registration = await deps.look();
    const sentence = formatRegistration(registration, pillar, deps.now());
    const key = formatRegistrationKey(registration);
    if (key !== said?.key || deps.ticks() - said.at >= quietFor) {
      deps.say(`cutover: ${sentence}`);
      if (key !== said?.key) for (const note of registration.notes) deps.say(`cutover: ${noteText(note)}`);
      said = { key, at: deps.ticks() };
      if (registration.kind === "tooEarly") deps.say(`cutover: ${formatWayBack(pillar, registration.earlier)}`);
    }
    if (registration.kind === "producing") {
      deps.notify?.("producing", sentence);
      return registration;
    }
    // Prints the address here, because the run ends, and shows its outputs, only after the wallet update.
    if (!isTold && ["earlier", "unknownPillar"].includes(registration.kind)) {
      deps.say(
        isOnce
          ? "cutover: to do in the desktop wallet:"
          : `cutover: waiting for this in the desktop wallet (to stop: Ctrl-C twice; to go on: ${commandsFor(options.stack).up}):`,
      );
      for (const line of formatWalletClicks(pillar, ours)) deps.say(`cutover: ${line}`);
      isTold = true;
    }
    const giveUp = (what: string) =>
      Object.assign(new Error(giveUpText(options, what, sentence, isOurs(registration))), { gaveUp: true });
    if (isOnce)
      throw Object.assign(giveUp("and this run does not wait (pillar-host:sync.wait is await)"), { isAwaiting: true });
    if (deps.signal?.aborted) throw giveUp("the engine that waited is gone");
    const remaining = deadline - (deps.ticks() - begun);
    if (remaining <= 0) {
      deps.notify?.("deadline", `no momentum carries the new producer address: ${sentence}`);
      throw giveUp(`waited ${formatDuration(deadline)} (pillar-host:cutover.deadline)`);
    }
    await deps.sleep(Math.min(remaining, pause));
  }
}

function giveUpText({ address, stack }: CutoverOptions, what: string, sentence: string, isRegistered: boolean): string {
  const { up, remove } = commandsFor(stack);
  return [
    `${address}: no momentum carries this host's producer address yet, ${what}`,
    `  last seen: ${sentence}`,
    `  Keep the old host running${isRegistered ? ": it produces until then." : ", and update the wallet if that is still to be done."}`,
    `  Nothing is lost. To go on waiting: ${up}`,
    `  Not to wait: ${remove("cutover.wait")}`,
  ].join("\n");
}
