import { type OrchestratorStatus, statusCacheMs } from "../../chain/orchestrator.ts";
import type { Teller } from "../../util/clock.ts";

/** Enough for three signing ceremonies of a minute each. */
const timeoutMs = 180_000;

/** The orchestrator answers two requests a second, of all clients together. */
const pollIntervalMs = 1500;

/**
 * Waits until no request needs a signature: a stop in a signing ceremony would cost the other orchestrators that one.
 * Requests that nobody signs delay the move by three minutes at most.
 */
export async function waitForSignings(askOnce: () => Promise<OrchestratorStatus | undefined>, deps: Teller) {
  // Ask twice, because a request times out if this machine was suspended.
  const ask = () => askOnce().catch(() => askOnce());
  if ((await ask())?.toSign === undefined) return;
  const end = deps.ticks() + timeoutMs;
  deps.say(
    `asking until getStatus, which is cached for ${statusCacheMs / 1000} s, gives a new answer: is a signing at work?`,
  );
  for (let isFirst = true; ; isFirst = false) {
    const waiting = (await readFreshStatus(ask, deps))?.toSign ?? 0;
    if (waiting === 0) return;
    if (deps.ticks() >= end)
      return deps.say(
        `${waiting} requests still wait for their signature after ${timeoutMs / 1000} s: stopping the orchestrator all the same; if it is in a signing ceremony, the other orchestrators repeat that without it`,
      );
    if (isFirst)
      deps.say(`${waiting} requests wait for their signature: waiting for a while, since a ceremony may be at work`);
  }
}

/**
 * Reads a new status: the orchestrator caches each answer, so a new momentum in it proves that it is new, and so does
 * the cache's time.
 */
async function readFreshStatus(ask: () => Promise<OrchestratorStatus | undefined>, deps: Teller) {
  const cached = (await ask())?.momentum;
  const end = deps.ticks() + statusCacheMs;
  for (;;) {
    await deps.sleep(cached === undefined ? statusCacheMs : pollIntervalMs);
    const status = await ask();
    if (status?.momentum !== cached || deps.ticks() >= end) return status;
  }
}
