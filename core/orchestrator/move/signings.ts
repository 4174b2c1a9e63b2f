import { type OrchestratorStatus, statusStands } from "../../chain/orchestrator";
import type { HostPairDeps } from "../hosts/hostPair";

/** Milliseconds: three ceremonies, of a minute each. */
const patience = 180_000;

/** Milliseconds between two looks whether an answer is a new one; others ask too, and two a second is all they get. */
const knock = 1500;

/**
 * Returns when no request waits for its signature: a stop within a ceremony costs the others that one. Requests that
 * nobody signs hold the move up for three minutes only.
 */
export async function waitForSignings(
  askOnce: () => Promise<OrchestratorStatus | undefined>,
  deps: HostPairDeps,
): Promise<void> {
  // A machine that was suspended wakes up to a request whose time is over.
  const ask = () => askOnce().catch(() => askOnce());
  if ((await ask())?.toSign === undefined) return;
  const end = deps.ticks() + patience;
  deps.say(`asking for a getStatus that is new, since each stands for ${statusStands / 1000} s: is a signing at work?`);
  for (let said = false; ; said = true) {
    const waiting = (await ofNow(ask, deps))?.toSign ?? 0;
    if (waiting === 0) return;
    if (deps.ticks() >= end)
      return deps.say(
        `${waiting} requests still wait for their signature after ${patience / 1000} s: stopping all the same; where it is in a ceremony, the other signers repeat that without it`,
      );
    if (!said)
      deps.say(`${waiting} requests wait for their signature: waiting for a while, since a ceremony may be at work`);
  }
}

/**
 * An answer that was made just now: each stands for a while, whoever asked for it, and tells of no request that came
 * after it. That it is another one shows in its momentum.
 */
async function ofNow(ask: () => Promise<OrchestratorStatus | undefined>, deps: HostPairDeps) {
  const known = (await ask())?.momentum;
  const end = deps.ticks() + statusStands;
  for (;;) {
    await deps.sleep(known === undefined ? statusStands : knock);
    const status = await ask();
    if (status?.momentum !== known) return status;
    if (deps.ticks() < end) continue;
    if (known !== undefined)
      deps.say(`its getStatus still tells of momentum ${known}: a signing that began since is not in it`);
    return status;
  }
}
