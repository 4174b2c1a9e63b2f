import { type OrchestratorStatus, statusStands } from "../../chain/orchestrator";
import type { HostPairDeps } from "../hosts/hostPair";

/** Enough for three ceremonies of a minute each. */
const timeoutMs = 180_000;

/** Other clients ask, too, and the orchestrator answers two requests a second in all. */
const pollIntervalMs = 1500;

/**
 * Waits until no request needs a signature: a stop during a ceremony costs the other orchestrators that ceremony.
 * Requests that nobody signs delay the move by three minutes at most.
 */
export async function waitForSignings(
  askOnce: () => Promise<OrchestratorStatus | undefined>,
  deps: HostPairDeps,
): Promise<void> {
  // A request may time out because this machine was suspended.
  const ask = () => askOnce().catch(() => askOnce());
  if ((await ask())?.toSign === undefined) return;
  const end = deps.ticks() + timeoutMs;
  deps.say(`asking for a getStatus that is new, since each stands for ${statusStands / 1000} s: is a signing at work?`);
  for (let isFirst = true; ; isFirst = false) {
    const waiting = (await readFreshStatus(ask, deps))?.toSign ?? 0;
    if (waiting === 0) return;
    if (deps.ticks() >= end)
      return deps.say(
        `${waiting} requests still wait for their signature after ${timeoutMs / 1000} s: stopping all the same; where it is in a ceremony, the other signers repeat that without it`,
      );
    if (isFirst)
      deps.say(`${waiting} requests wait for their signature: waiting for a while, since a ceremony may be at work`);
  }
}

/**
 * Reads a status that the orchestrator made just now. It caches each answer for a while; a new momentum in the answer
 * proves that the answer is new.
 */
async function readFreshStatus(ask: () => Promise<OrchestratorStatus | undefined>, deps: HostPairDeps) {
  const cached = (await ask())?.momentum;
  const end = deps.ticks() + statusStands;
  for (;;) {
    await deps.sleep(cached === undefined ? statusStands : pollIntervalMs);
    const status = await ask();
    if (status?.momentum !== cached) return status;
    if (deps.ticks() < end) continue;
    if (cached !== undefined)
      deps.say(`its getStatus still tells of momentum ${cached}: a signing that began since is not in it`);
    return status;
  }
}
