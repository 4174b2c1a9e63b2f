import { type FactsByName, readHostFacts } from "../host/facts.ts";
import { createPathVariables, type HostPaths } from "../host/hostPaths.ts";
import { addJournal } from "../orchestrator/hosts/orchestratorFacts.ts";
import { type CallError, openRoot, type RootHost } from "../ssh/root.ts";
import { assertProxyWorks, isFatal } from "../ssh/sshErrors.ts";
import type { Teller } from "../util/clock.ts";
import { takeFirstLine } from "../util/printable.ts";
import type { RetirementInputs } from "./retirementInputs.ts";

/** A host's facts for its retirement. No secret. */
export type HostFacts = ReturnType<typeof arrangeHostFacts>;

/** @throws if the journal can't be read */
export function arrangeHostFacts(facts: FactsByName["retirement"], address: string) {
  return { ...facts, orchestrator: addJournal(facts.orchestrator, address) };
}

/** A host's facts, or why there are none. `isRefused`: it refuses the login or shows another key, so it is alive. */
export type HostObservation = { readonly facts: HostFacts } | { readonly silent: string; readonly isRefused?: true };

const retryDelayMs = 3000;

/** Reads a host's facts; retries until the timeout. @throws if the host's answer can't be used: such a host must stay on */
export async function readHost(
  root: RootHost,
  places: HostPaths,
  timeoutMs: number,
  deps: Teller,
): Promise<HostObservation> {
  const end = deps.ticks() + timeoutMs;
  const variables = createPathVariables(places);
  for (let isFirst = true; ; isFirst = false) {
    const answer = await readHostFacts(root, ["retirement"], variables).catch((error: CallError) => error);
    if (!(answer instanceof Error)) return { facts: arrangeHostFacts(answer.retirement, root.address) };
    // An exit code comes from the host itself: it answers, and a retry would not help.
    if (answer.exitCode !== undefined) throw answer;
    const silent = takeFirstLine(answer.message);
    const isRefused = isFatal(answer);
    if (isRefused || deps.ticks() >= end) {
      assertProxyWorks(root.address, answer);
      return isRefused ? { silent, isRefused } : { silent };
    }
    if (isFirst) deps.say(`${root.address} does not answer (${silent}); waiting for it`);
    await deps.sleep(retryDelayMs);
  }
}

/** Reads a host's facts over a new connection. */
export function readHostOnce({ host, library, places }: RetirementInputs, timeoutMs: number, deps: Teller) {
  const root = openRoot(host, library);
  return readHost(root, places, timeoutMs, deps).finally(() => root.close());
}
