import { isAnswered } from "../../../core/chain/reading";
import type { StackConfig } from "../../../core/config/config";
import { openStackStore } from "../../../core/config/stackStore";
import { readEvents } from "../../../core/eventLog/eventLog";
import type { LogEvent } from "../../../core/eventLog/events";
import type { RetirementInputs } from "../../../core/retirement/guardInputs";
import { assembleGuardMemory, type GuardMemory, mergeHostMemory } from "../../../core/retirement/guardMemory";
import type { HostObservation } from "../../../core/retirement/readHost";
import { formatFinding } from "../../../core/retirement/refusalText";
import { addProvider } from "../../../core/retirement/retirementFacts";
import { createRetirementInputs } from "../../../core/retirement/retirementInputs";
import { type RetirementSurvey, type SurveyDeps, surveyRetirement } from "../../../core/retirement/surveyRetirement";
import type { Store } from "../../../core/store/store";
import type { Result } from "../../../core/util/result";
import type { StackWithHost } from "../openStack";
import type { UnmetCondition } from "./statusParts";

export interface RetirementContext {
  readonly inputs: RetirementInputs;
  readonly memory: GuardMemory;
  readonly store: Store;
}

/** Reads facts about the host from the last run's outputs and the event log, because a failed run may lack outputs. */
export async function readRetirementContext(
  { config, stack, address, state }: StackWithHost,
  hostKey: string,
): Promise<RetirementContext> {
  const store = openStackStore(config);
  const { remembered = {}, lastRun, isOwnServer = false } = state;
  const producer = lastRun?.producerAddress ?? remembered.producer;
  const events = await readKnownEvents(store, config.pillar.name);
  const past = mergeHostMemory(events, stack, { ...remembered, producer });
  const { knownProducer, recorded } = past;
  return {
    inputs: { ...createRetirementInputs(config, { address, hostKey, isOwnServer }), knownProducer, recorded },
    // Without facts, a host counts as one that the stack logged in to: missing facts never release a host.
    memory: assembleGuardMemory(past, remembered.isReached ?? true),
    store,
  };
}

async function readKnownEvents(store: Store, pillar: string): Promise<readonly LogEvent[]> {
  try {
    return await readEvents(store, pillar);
  } catch {
    return [];
  }
}

/** Checks what a destroy would check, and changes nothing. */
export function surveyDestroy(
  { inputs, memory, store }: RetirementContext,
  { host }: StackConfig,
  looked: Result<HostObservation>,
  deps: SurveyDeps,
): Promise<RetirementSurvey> {
  const look = "value" in looked ? looked.value : { silent: looked.problem };
  const seen = addProvider(look, host.provider === "existing" ? undefined : host.provider);
  return surveyRetirement({ step: "destroy", inputs, memory, host: seen, store }, deps);
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
