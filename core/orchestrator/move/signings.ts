import { type OrchestratorStatus, statusCacheMs } from "../../chain/orchestrator";
import type { HostPairDeps } from "../hosts/hostPair";

/** Enough for three signing ceremonies of a minute each. */
const timeoutMs = 180_000;

/** The orchestrator answers two requests a second, other clients' included. */
const pollIntervalMs = 1500;

/**
 * Waits until no request needs a signature: a stop would cost the other orchestrators that ceremony. Requests that
 * nobody signs delay the move by three minutes at most.
 */
export async function waitForSignings(
  askOnce: () => Promise<OrchestratorStatus | undefined>,
  deps: HostPairDeps,
): Promise<void> {
  // A request times out if this machine was suspended.
  const ask = () => askOnce().catch(() => askOnce());
  if ((await ask())?.toSign === undefined) return;
  const end = deps.ticks() + timeoutMs;
  deps.say(
    `asking for a getStatus that is new, since each stands for ${statusCacheMs / 1000} s: is a signing at work?`,
  );
  for (let isFirst = true; ; isFirst = false) {
    const waiting = (await readFreshStatus(ask, deps))?.toSign ?? 0;
    if (waiting === 0) return;
    if (deps.ticks() >= end)
      return deps.say(
        `${waiting} requests still wait for their signature after ${timeoutMs / 1000} s: stopping all the same; where it is in a ceremony, the other orchestrators repeat that without it`,
      );
    if (isFirst)
      deps.say(`${waiting} requests wait for their signature: waiting for a while, since a ceremony may be at work`);
  }
}

/** Reads a new status: the orchestrator caches each answer, so a new momentum in it proves that it is new. */
async function readFreshStatus(ask: () => Promise<OrchestratorStatus | undefined>, deps: HostPairDeps) {
  const cached = (await ask())?.momentum;
  const end = deps.ticks() + statusCacheMs;
  for (;;) {
    await deps.sleep(cached === undefined ? statusCacheMs : pollIntervalMs);
    const status = await ask();
    if (status?.momentum !== cached) return status;
    if (deps.ticks() < end) continue;
    if (cached !== undefined)
      deps.say(`its getStatus still tells of momentum ${cached}: a signing that began since is not in it`);
    return status;
  }
}
