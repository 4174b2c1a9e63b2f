import crypto from "node:crypto";
import type { Connection } from "../ssh/connection";
import { runScript } from "../ssh/runScript";
import type { Clock } from "../util/clock";
import { firstLine } from "../util/firstLine";
import { toResult } from "../util/result";
import { agreeOnPillar } from "./agreement";
import { unknownKey, unknownText, wayBack } from "./messages";
import type { Registration } from "./registration";
import type { PillarReading } from "./source";

/** What the watch depends on. */
export interface EarlyWalletDeps extends Pick<Clock, "now" | "ticks"> {
  /** Asks the references: the node here is behind, and its word of no worth. Never throws. */
  read(): Promise<readonly PillarReading[]>;
  /**
   * SHA-256 of this host's producer address: the address itself stays there until the node is synced.
   *
   * @throws with the reason where the host does not tell it
   */
  digest(): Promise<string>;
  say(line: string): void;
  /** Tells somebody who does not watch, once. */
  tell(text: string): void;
  /** Puts it into the record of the migration. */
  record(registration: Registration): Promise<void>;
}

/** The watch over a wait for the sync. */
export interface EarlyWalletWatch {
  /** To be called at every turn of the wait: begins a look where it is time for one, and returns at once. */
  turn(): void;
  /** The end of a look that is under way. */
  settled(): Promise<void>;
  /** The address that was registered before this host's, as far as it was seen. */
  earlier(): string | undefined;
}

const lookEvery = 2 * 60_000;

/**
 * Watches, while the node is not synced, whether the wallet was updated too early, which nothing else tells
 * (docs/specification.md, 1.1, the rule behind step 13). It is said once, loudly, with the way back; and its end is
 * said.
 *
 * @param before the address that an earlier wait saw registered
 */
export function watchForEarlyWallet(
  pillar: string,
  before: string | undefined,
  deps: EarlyWalletDeps,
): EarlyWalletWatch {
  let earlier = before;
  let isTrapped = false;
  let lookedAt: number | undefined;
  let running: Promise<void> | undefined;
  let unseen: string | undefined;

  const cannotSee = (why: string, key = why) => {
    if (key !== unseen) deps.say(`sync: whether the wallet was updated too early can't be seen: ${why}`);
    unseen = key;
  };
  const look = async () => {
    const agreement = agreeOnPillar(await deps.read());
    if (agreement.kind === "unknown") return cannotSee(unknownText(agreement.why), unknownKey(agreement.why));
    if (agreement.pillar === null) return;
    const { producerAddress: address, figures } = agreement.pillar;
    const digest = await toResult(deps.digest());
    if ("problem" in digest) return cannotSee(digest.problem);
    unseen = undefined;
    if (crypto.createHash("sha256").update(address).digest("hex") !== digest.value) {
      if (isTrapped) deps.say(`sync: ${pillar} is registered with another address again, ${address}: the trap is over`);
      isTrapped = false;
      earlier = address;
      return;
    }
    if (isTrapped) return;
    isTrapped = true;
    const text = warningLines(pillar, earlier);
    for (const line of ["REGISTERED TOO EARLY", ...text, "the wait goes on"]) deps.say(`sync: ${line}`);
    deps.tell(text.join(" "));
    await deps.record({
      kind: "tooEarly",
      why: "it syncs",
      address,
      since: deps.now(),
      notes: [],
      earlier,
      figures: figures.expected > 0 ? figures : undefined,
    });
  };

  return {
    turn: () => {
      if (running || (lookedAt !== undefined && deps.ticks() - lookedAt < lookEvery)) return;
      lookedAt = deps.ticks();
      running = look().finally(() => {
        running = undefined;
      });
    },
    settled: async () => {
      await running;
    },
    earlier: () => earlier,
  };
}

function warningLines(pillar: string, earlier: string | undefined): string[] {
  return [
    `${pillar} is registered with this host's producer address ALREADY, and its node is not synced:`,
    "it earns nothing from 5 to 10 minutes after the update on until the node is synced, and the next tick begins.",
    wayBack(pillar, earlier),
  ];
}

const digestTime = 20_000;

/**
 * Asks a host for the SHA-256 of its producer address.
 *
 * @param script what `core/steps/node/addressDigest.sh` became: the text for `bash -euo pipefail -s` as the login user
 * @throws with the reason where it has none yet, or can't be asked
 */
export async function readAddressDigest(connection: Connection, script: string): Promise<string> {
  const ofHost = (reason: string) => new Error(`the host's own address: ${reason}`);
  const printed = await runScript(connection, "addressDigest", script, digestTime).catch((error: Error) => {
    throw ofHost(firstLine(error.message));
  });
  const digest = printed.find((line) => /^[0-9a-f]{64}$/.test(line));
  if (digest === undefined) throw ofHost("the node's configuration names none");
  return digest;
}
