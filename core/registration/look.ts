import type { Network } from "../chain/elections";
import { type EventLog, type LogRef, readEvents } from "../eventLog/eventLog";
import type { News } from "../eventLog/events";
import { openStore } from "../store/openStore";
import type { NodeStatus } from "../sync/nodeStatus";
import { withTimeout } from "../util/withTimeout";
import { agreeOnPillar } from "./agreeOnRegistration";
import { findSwitch, isUndone, type ProducerSwitch, withEmptySlots } from "./findSwitch";
import { type Elections, type Registration, type RegistrationMemory, registrationOf } from "./registration";
import { memoryOf, newsOf } from "./registrationEvents";
import type { PillarAnswer, PillarReading } from "./source";

export interface RegistrationLook {
  readonly ours: string;
  /** The sources' answers. Their clients are still open, because one of them is asked for more momentums. */
  readonly readings: readonly PillarReading[];
  readonly memory: RegistrationMemory;
  readonly node: Pick<NodeStatus, "synced" | "known" | "why" | "reason">;
  readonly network: Network;
  /** Returns unix milliseconds. */
  now(): number;
}

const searchTime = 8000;

/** Decides the state of the registration, and searches for the first momentum if it is not known yet. Never throws. */
export async function lookAtRegistration(look: RegistrationLook): Promise<Registration> {
  const { ours, memory, node, network, readings } = look;
  const agreement = agreeOnPillar(readings);
  const facts = { ours, agreement, memory, node, now: look.now(), network };
  const [source] = agreement.kind === "settled" ? agreement.by : [];
  if (source?.pillar?.producerAddress !== ours) return registrationOf({ ...facts, switched: memory.switched });
  const late = `${source.client.name} gave no momentums within ${searchTime / 1000} s`;
  try {
    const switched = await withTimeout(switchNow(source, look), searchTime, late);
    const elections = switched ? {} : await withTimeout(electionsOf(source), searchTime, late);
    return registrationOf({ ...facts, switched, elections });
  } catch (error) {
    return registrationOf({ ...facts, unseen: (error as Error).message });
  }
}

async function switchNow(source: PillarAnswer, look: RegistrationLook): Promise<ProducerSwitch | undefined> {
  const { switched, earlier } = look.memory;
  if (switched && !isUndone(switched, source.recent, look.ours, earlier)) return switched;
  const { client, recent } = source;
  const found = await findSwitch((from, count) => client.momentums(from, count), recent, look.ours, earlier);
  return found && withEmptySlots(found, look.network);
}

async function electionsOf({ client, pillar }: PillarAnswer): Promise<Elections> {
  const [[first], standing] = await Promise.all([client.momentums(1, 1), client.standing(pillar?.name ?? "")]);
  return { genesis: first?.timestamp, standing };
}

/** Reads the registration from the event log. An unreadable log counts as empty. */
export async function recalled(
  { directory, stack, pillar }: LogRef,
  ours: string,
  seen?: string,
): Promise<RegistrationMemory> {
  try {
    return memoryOf(await readEvents(openStore(directory), pillar), stack, ours, seen);
  } catch {
    return memoryOf([], stack, ours, seen);
  }
}

/**
 * Appends state changes, and returns them. Compares with the current log, because the cached state (`memory`) may be
 * empty. Most lookups find no change and do not read the log again.
 */
export async function noteRegistration(
  log: EventLog,
  registration: Registration,
  { stack, ours, memory }: { readonly stack: string; readonly ours: string; readonly memory: RegistrationMemory },
): Promise<readonly News[]> {
  if (newsOf(registration, memory).length === 0) return [];
  return log.noteNews((events) => newsOf(registration, memoryOf(events, stack, ours)));
}
