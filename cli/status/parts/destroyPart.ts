import { isAnswered } from "../../../core/chain/reading";
import { openStackStore } from "../../../core/config/stackStore";
import { readEvents } from "../../../core/eventLog/eventLog";
import { assembleGuardMemory, mergeHostMemory } from "../../../core/retirement/guardMemory";
import { formatFinding } from "../../../core/retirement/refusalText";
import { createRetirementInputs } from "../../../core/retirement/retirementInputs";
import type { RetirementSurvey } from "../../../core/retirement/surveyRetirement";
import type { StackWithHost } from "../openStack";
import type { UnmetCondition } from "./statusParts";

export type RetirementContext = Awaited<ReturnType<typeof readRetirementContext>>;

/** Reads facts about the host from the last run's outputs and the event log, because a failed run may lack outputs. */
export async function readRetirementContext({ config, stack, address, state }: StackWithHost, hostKey: string) {
  const store = openStackStore(config);
  const { remembered = {}, lastRun, isOwnServer = false } = state;
  const producer = lastRun?.producerAddress ?? remembered.producer;
  const events = await readEvents(store, config.pillar.name).catch(() => []);
  const past = mergeHostMemory(events, stack, { ...remembered, producer });
  const { knownProducer, recorded } = past;
  return {
    inputs: { ...createRetirementInputs(config, { address, hostKey, isOwnServer }), knownProducer, recorded },
    // Without facts, a host counts as one that the stack logged in to: missing facts never release a host.
    memory: assembleGuardMemory(past, remembered.isReached ?? true),
    store,
  };
}

/** Lists the unmet conditions. Hides unregistered addresses: one may belong to a node that is not synced. */
export function listUnmetConditions({ facts, verdict }: Pick<RetirementSurvey, "facts" | "verdict">): UnmetCondition[] {
  const registered = facts.readings.flatMap((reading) =>
    isAnswered(reading) && reading.pillar !== null ? [reading.pillar.producerAddress] : [],
  );
  const shown = (address: string) => (registered.includes(address) ? address : "[address]");
  return verdict.unmet.map(({ found, ...unmet }) => ({
    ...unmet,
    found: found?.map((each) => formatFinding(each, shown)),
  }));
}
