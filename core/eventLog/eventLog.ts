import { addLine, readLines } from "./moveEvents";

/** A height at a time, of the wait for the sync: unix milliseconds, the node's height, and the network's as far as known. */
export type CurvePoint = readonly [at: number, height: number, target: number];

/** What is kept of each event of a migration's journey; times are ISO 8601, heights of momentums. Never a secret. */
export interface EventDetails {
  /** A stack has a host from here on. */
  readonly host: {
    readonly address: string;
    readonly provider: string;
    readonly serverId?: string;
    /** An authorized_keys line: public. */
    readonly hostKey?: string;
    /** The stack stood its node up itself. */
    readonly isOwnWork: boolean;
  };
  /** A momentum of the chain that the host's node was synced to: who does not know it later is on another one, or lies. */
  readonly recorded: { readonly height: number; readonly hash: string };
  /** A wait for the sync that has not ended: what it saw since the line before (gate/waits.ts). */
  readonly waiting: {
    readonly address: string;
    readonly startedAt: string;
    readonly startHeight?: number;
    readonly curve: readonly CurvePoint[];
  };
  /** The node was proved synced (the gate's outputs), with the curve of the wait that ended so. */
  readonly synced: {
    readonly startedAt: string;
    readonly syncedAt: string;
    readonly startHeight: number;
    readonly currentHeight: number;
    readonly proved: readonly string[];
    readonly unproved: readonly string[];
    readonly curve: readonly CurvePoint[];
  };
  /** The Pillar was seen registered with this host's producer address. */
  readonly registered: { readonly producerAddress: string; readonly figures?: Figures };
  /** It was registered with this host's address, and is with another one since. */
  readonly registeredElsewhere: { readonly producerAddress: string };
  /**
   * It is registered with this host's address while its node is not synced (docs/specification.md, 1.1, the rule behind
   * step 13).
   */
  readonly registeredTooEarly: { readonly producerAddress: string; readonly earlier?: string };
  /** The switch: the first momentum that carried this host's address. */
  readonly producing: {
    readonly producerAddress: string;
    readonly height: number;
    /** Of that momentum. */
    readonly switchedAt: string;
    /** It produced before that momentum already: nobody looked further back. */
    readonly orBefore?: true;
    /** The last momentum of the address before. */
    readonly before?: { readonly producerAddress: string; readonly height: number; readonly at: string };
    /** Slots of the whole network that stayed empty between the two. */
    readonly empty?: number;
    readonly figures?: Figures;
  };
  /** The node of the old host is about to be stopped, disabled and masked. */
  readonly shuttingDown: { readonly address: string };
  /** That was done; whether an orchestrator, or what is left of one, was seen on the host then. */
  readonly shutDown: {
    readonly address: string;
    readonly evidence: readonly string[];
    readonly hasSigner?: boolean;
  };
  /** The rewards were seen paid and collected, or the operator said so. */
  readonly rewards: { readonly evidence: readonly string[]; readonly saidBy?: "operator" };
  /** A deletion was refused, with every reason. */
  readonly refused: { readonly reasons: readonly string[] };
  /** The operator's typed sentence let a deletion pass in spite of these reasons. */
  readonly override: { readonly sentence: string; readonly reasons: readonly string[] };
  /** The guard let the host go: what follows is its deletion. */
  readonly released: {
    readonly evidence: readonly string[];
    readonly address?: string;
    readonly serverId?: string;
    /** The producer address that it had. */
    readonly producer?: string;
    /** Its provider protected it against deletion until then. */
    readonly wasProtected?: boolean;
  };
}

/**
 * Of the running epoch, as a node counted up to five minutes before, its whole tick with it: what the Pillar was to
 * produce, and what it did. The difference of two such counts is not what was missed.
 */
export interface Figures {
  readonly expected: number;
  readonly produced: number;
}

export type EventName = keyof EventDetails;

/** A line of the record about a stack's journey. */
export type LogEvent = {
  [E in EventName]: {
    /** ISO 8601: when it was written. */
    readonly at: string;
    readonly stack: string;
    readonly pillar: string;
    readonly event: E;
    readonly details: EventDetails[E];
  };
}[EventName];

/**
 * Adds a line to the record of a migration (docs/architecture.md, Event log): the file that the signer's move writes to
 * as well, beside the backups. On the disk when this returns.
 *
 * @throws where it can't be written
 */
export function appendEvent(directory: string, entry: LogEvent): void {
  addLine(directory, entry);
}

/**
 * All of a Pillar's journey, the oldest first; nothing where there is no record. Two Pillars' backups may lie in one
 * place, and their stacks have one name.
 */
export function readEvents(directory: string, pillar: string): LogEvent[] {
  return readLines<LogEvent>(
    directory,
    (line) => typeof line.stack === "string" && typeof line.event === "string" && line.pillar === pillar,
  );
}

/** What a stack lived through since it let its last host go (pure). */
export function sinceReleased(journey: readonly LogEvent[], stack: string): LogEvent[] {
  const own = journey.filter((entry) => entry.stack === stack);
  return own.slice(own.findLastIndex(({ event }) => event === "released") + 1);
}

/** The last line about an event of a stack (pure). */
export function lastEvent<E extends EventName>(
  journey: readonly LogEvent[],
  stack: string,
  event: E,
): (LogEvent & { readonly event: E }) | undefined {
  const found = journey.findLast((entry) => entry.stack === stack && entry.event === event);
  return found as (LogEvent & { readonly event: E }) | undefined;
}
