import type { Network } from "../chain/elections";
import { type EventLog, type LogRef, readEvents } from "../eventLog/eventLog";
import type { EventBody } from "../eventLog/events";
import { openStore } from "../store/openStore";
import type { NodeStatus } from "../sync/nodeStatus";
import { withTimeout } from "../util/withTimeout";
import { agreeOnPillar } from "./agreeOnRegistration";
import { findSwitch, isUndone, type ProducerSwitch } from "./findSwitch";
import type { PillarAnswer, PillarReading } from "./pillarReadings";
import { decideRegistration, type Elections, type Registration, type RegistrationMemory } from "./registration";
import { collectRegistrationMemory, findRegistrationChanges } from "./registrationEvents";

export interface RegistrationLookup {
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

/** Decides the state of the registration, and searches for this host's first momentum if it is not known yet. Never throws. */
export async function judgeRegistration(look: RegistrationLookup): Promise<Registration> {
  const { ours, memory, node, network, readings } = look;
  const agreement = agreeOnPillar(readings);
  const facts = { ours, agreement, memory, node, now: look.now(), network };
  const [source] = agreement.kind === "settled" ? agreement.by : [];
  if (source?.pillar?.producerAddress !== ours) return decideRegistration({ ...facts, switched: memory.switched });
  const late = `${source.client.name} gave no momentums within ${searchTime / 1000} s`;
  try {
    const switched = await withTimeout(findCurrentSwitch(source, look), searchTime, late);
    const elections = switched ? {} : await withTimeout(readElections(source), searchTime, late);
    return decideRegistration({ ...facts, switched, elections });
  } catch (error) {
    return decideRegistration({ ...facts, unseen: (error as Error).message });
  }
}

async function findCurrentSwitch(source: PillarAnswer, look: RegistrationLookup): Promise<ProducerSwitch | undefined> {
  const { switched, earlier } = look.memory;
  if (switched && !isUndone(switched, source.recent, look.ours, earlier)) return switched;
  const { client, recent } = source;
  return findSwitch((from, count) => client.momentums(from, count), recent, look.ours, earlier);
}

async function readElections({ client, pillar }: PillarAnswer): Promise<Elections> {
  const [[first], standing] = await Promise.all([client.momentums(1, 1), client.standing(pillar?.name ?? "")]);
  return { genesis: first?.timestamp, standing };
}

/** Reads the registration from the event log. An unreadable log counts as empty. */
export async function readRegistrationMemory(
  { directory, stack, pillar }: LogRef,
  ours: string,
  seen?: string,
): Promise<RegistrationMemory> {
  try {
    return collectRegistrationMemory(await readEvents(openStore(directory), pillar), stack, ours, seen);
  } catch {
    return collectRegistrationMemory([], stack, ours, seen);
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
): Promise<readonly EventBody[]> {
  if (findRegistrationChanges(registration, memory).length === 0) return [];
  return log.noteChanges((events) =>
    findRegistrationChanges(registration, collectRegistrationMemory(events, stack, ours)),
  );
}
