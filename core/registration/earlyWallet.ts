import crypto from "node:crypto";
import { dropFigures } from "../chain/reading.ts";
import { readHostFacts } from "../host/facts.ts";
import type { NodePaths } from "../host/nodeFacts.ts";
import type { RootHost } from "../ssh/root.ts";
import type { Clock } from "../util/clock.ts";
import { takeFirstLine } from "../util/printable.ts";
import { toResult } from "../util/result.ts";
import type { RegistrationAgreement } from "./agreeOnRegistration.ts";
import type { Registration } from "./registration.ts";
import { formatWayBack } from "./registrationMessages.ts";

interface EarlyWalletDeps extends Pick<Clock, "now" | "ticks"> {
  /** Asks the references alone, since this host's node is behind. Never throws. */
  read(): Promise<RegistrationAgreement>;
  /** Returns the SHA-256 of this host's producer address, which does not leave the host before the sync. @throws */
  digest(): Promise<string>;
  say(line: string): void;
  /** Sends the warning to an operator who does not watch the run. Called once. */
  tell(text: string): void;
  record(registration: Extract<Registration, { kind: "tooEarly" }>): Promise<void>;
}

export type EarlyWalletWatch = ReturnType<typeof watchForEarlyWallet>;

const lookEvery = 2 * 60_000;

/**
 * Watches for a wallet update that came before the node is synced. No other check reports this problem
 * (docs/specification.md, 1.1, the rule behind step 13). Warns once, with the steps to undo the update, and reports
 * when the problem is over. `before` is the registered address that an earlier wait saw.
 */
export function watchForEarlyWallet(pillar: string, before: string | undefined, deps: EarlyWalletDeps) {
  let earlier = before;
  let isTrapped = false;
  let lookedAt: number | undefined;
  let running: Promise<void> | undefined;
  let unseen: string | undefined;

  const cannotSee = (why: string) => {
    const key = dropFigures(why);
    if (key !== unseen) deps.say(`sync: it is unknown whether the wallet was updated too early: ${why}`);
    unseen = key;
  };
  const look = async () => {
    const agreement = await deps.read();
    if (agreement.kind === "unknown") return cannotSee(agreement.why);
    if (agreement.pillar === null) return;
    const { producerAddress: address } = agreement.pillar;
    const digest = await toResult(deps.digest());
    if ("problem" in digest) return cannotSee(digest.problem);
    unseen = undefined;
    if (crypto.createHash("sha256").update(address).digest("hex") !== digest.value) {
      if (isTrapped)
        deps.say(
          `sync: ${pillar} is registered with another address again, ${address}: the too early update is undone`,
        );
      isTrapped = false;
      earlier = address;
      return;
    }
    if (isTrapped) return;
    isTrapped = true;
    const text = [
      `${pillar} is registered with this host's producer address ALREADY, and its node is not synced:`,
      "the Pillar earns nothing from 5 to 10 minutes after the update until the node is synced and the next tick begins.",
      formatWayBack(pillar, earlier),
    ];
    for (const line of ["REGISTERED TOO EARLY", ...text, "the wait for the sync continues"]) deps.say(`sync: ${line}`);
    deps.tell(text.join(" "));
    await deps.record({ kind: "tooEarly", why: "it syncs", address, since: deps.now(), notes: [], earlier });
  };

  return {
    /** Starts a lookup if one is due, and returns at once. Call it in every round of the wait. */
    turn: () => {
      if (running || (lookedAt !== undefined && deps.ticks() - lookedAt < lookEvery)) return;
      lookedAt = deps.ticks();
      running = look().finally(() => {
        running = undefined;
      });
    },
    settled: async () => running,
    /** Returns the address registered before this host's, if a lookup has seen it. */
    earlier: () => earlier,
  };
}

/** Reads the SHA-256 of a host's producer address. @throws if the host has none yet or does not answer */
export async function readAddressDigest(root: RootHost, { dataDir }: Pick<NodePaths, "dataDir">): Promise<string> {
  const ofHost = (reason: string) => new Error(`this host's producer address can't be read: ${reason}`);
  const { digest } = await readHostFacts(root, ["digest"], { data_dir: dataDir }).catch((error: Error) => {
    throw ofHost(takeFirstLine(error.message));
  });
  if (digest === undefined) throw ofHost("the node's configuration has none");
  return digest;
}
