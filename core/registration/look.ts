import { type ChainClient, chainOfReference } from "../chain/chain";
import type { Network } from "../chain/elections";
import { readEvents } from "../eventLog/eventLog";
import type { NodeStatus } from "../sync/nodeStatus";
import { withTimeout } from "../util/withTimeout";
import { agree, type Usable } from "./agreement";
import { memoryOf, type RegistrationLog } from "./events";
import { findSwitch, isUndone, type ProducerSwitch, withEmptySlots } from "./findSwitch";
import { type Elections, type Registration, type RegistrationMemory, registrationOf } from "./registration";
import { readSource, type SourceReading } from "./source";

/** Asks the node here, where there is one to ask, and the references, all at once. Never throws. */
export function readSources(
  own: ChainClient | undefined,
  references: readonly string[],
  pillar: string,
): Promise<readonly SourceReading[]> {
  return Promise.all([
    ...(own ? [readSource(own, pillar, ownTime)] : []),
    ...references.map((url) => readSource(chainOfReference(url), pillar, referenceTime)),
  ]);
}

const ownTime = 10_000;
/** One that is gone for good is waited for in every run. */
const referenceTime = 5000;

/** What a look at the registration needs besides the sources' answers. */
export interface RegistrationLook {
  readonly ours: string;
  readonly readings: readonly SourceReading[];
  readonly memory: RegistrationMemory;
  readonly node: Pick<NodeStatus, "synced" | "known" | "why">;
  readonly network: Network;
  /** Asks the source of that name for more momentums; its caller closes it. */
  open(name: string): ChainClient | undefined;
  /** Unix milliseconds. */
  now(): number;
}

const searchTime = 8000;

/** Where the registration stands; the switch is searched for where it is not known yet. Never throws. */
export async function lookAtRegistration(look: RegistrationLook): Promise<Registration> {
  const { ours, memory, node, network, readings } = look;
  const agreement = agree(readings);
  const facts = { ours, agreement, memory, node, now: look.now(), network };
  const [source] = agreement.kind === "settled" ? agreement.by : [];
  if (source?.pillar?.producerAddress !== ours) return registrationOf({ ...facts, switched: memory.switched });
  const late = `${source.name} gave no momentums within ${searchTime / 1000} s`;
  try {
    const switched = await withTimeout(switchNow(source, look), searchTime, late);
    const elections = switched ? {} : await withTimeout(electionsOf(source, look), searchTime, late);
    return registrationOf({ ...facts, switched, elections });
  } catch (error) {
    return registrationOf({ ...facts, unseen: (error as Error).message });
  }
}

async function switchNow(source: Usable, look: RegistrationLook): Promise<ProducerSwitch | undefined> {
  const { switched, earlier } = look.memory;
  if (switched && !isUndone(switched, source.recent, look.ours, earlier)) return switched;
  const client = clientOf(source, look);
  const found = await findSwitch((from, count) => client.momentums(from, count), source.recent, look.ours, earlier);
  return found && withEmptySlots(found, look.network);
}

async function electionsOf(source: Usable, look: RegistrationLook): Promise<Elections> {
  const client = clientOf(source, look);
  const [[first], standing] = await Promise.all([client.momentums(1, 1), client.standing(source.pillar?.name ?? "")]);
  return { ...(first ? { genesis: first.timestamp } : {}), ...(standing ? { standing } : {}) };
}

function clientOf({ name }: Usable, { open }: RegistrationLook): ChainClient {
  const client = open(name);
  if (client === undefined) throw new Error(`${name} can't be asked again`);
  return client;
}

/** What the record says; nothing where it can't be read. */
export function recalled(
  { directory, stack, pillar }: RegistrationLog,
  ours: string,
  seen?: string,
): RegistrationMemory {
  try {
    return memoryOf(readEvents(directory, pillar), stack, ours, seen);
  } catch {
    return memoryOf([], stack, ours, seen);
  }
}
