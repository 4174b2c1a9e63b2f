import { openStackStore } from "../../../core/config/stackStore";
import { readEvents } from "../../../core/eventLog/eventLog";
import { assembleGuardMemory, mergeHostMemory } from "../../../core/retirement/guardMemory";
import { createRetirementInputs } from "../../../core/retirement/retirementInputs";
import type { StackWithHost } from "../openStack";

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
