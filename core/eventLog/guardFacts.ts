import { computeFingerprint, isSameHost } from "../ssh/publicKey.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import type { EventName, LogEntry, LogEvent } from "./events.ts";

/** Events of a stack that state a fact, and events after which the fact no longer counts. */
type GuardFact = Readonly<Record<"saidBy" | "voidedBy", readonly EventName[]>>;

const signsOfLife = [
  "host",
  "reactivated",
  "recorded",
  "waiting",
  "synced",
  "chainCopyBegun",
  "chainCopied",
  "registered",
  "registeredTooEarly",
  "producing",
] as const satisfies readonly EventName[];

/** Facts on which guards and steps decide. No other code reads their events (test/core/eventLog/guardFacts.test.ts). */
export const guardFacts = {
  /** The host, and since when the stack has it: an interrupted destroy needs that even after the release. */
  location: { saidBy: ["host"], voidedBy: [] },
  /** A momentum of the Pillar's chain, whichever host had it. */
  chain: { saidBy: ["recorded"], voidedBy: [] },
  /** The stack may have logged in to the host. */
  reached: { saidBy: ["host", "synced", "producing", "shutDown"], voidedBy: ["released"] },
  witnessed: { saidBy: ["synced"], voidedBy: ["released"] },
  waits: { saidBy: ["waiting"], voidedBy: ["synced", "released"] },
  /** Parts of a chain copy may lie on the host. */
  copying: { saidBy: ["chainCopyBegun"], voidedBy: ["chainCopied", "released"] },
  copied: { saidBy: ["chainCopied"], voidedBy: ["chainCopyBegun", "released"] },
  registered: { saidBy: ["registered", "registeredTooEarly", "producing"], voidedBy: ["host"] },
  shuttingDown: { saidBy: ["shuttingDown"], voidedBy: ["released"] },
  /** Other stacks' events about this host, and later moves, void it, too ({@link findShutdownWithoutOrchestrator}). */
  shutDown: { saidBy: ["shutDown"], voidedBy: [...signsOfLife, "released"] },
  /** A guard of the stack released the host: the other guard need not ask again. */
  released: { saidBy: ["released"], voidedBy: signsOfLife },
  /** A destroy lifted the provider's protection; the event names the server. */
  unprotected: { saidBy: ["released"], voidedBy: [] },
} as const satisfies Readonly<Record<string, GuardFact>>;

export type FactName = keyof typeof guardFacts;
type FactEvent<F extends FactName> = Extract<LogEvent, { event: (typeof guardFacts)[F]["saidBy"][number] }>;

/** Returns the events that state a fact of a stack and still count, oldest first. */
export function findValidEvents<F extends FactName>(lines: readonly LogEntry[], stack: string, fact: F) {
  const { saidBy, voidedBy }: GuardFact = guardFacts[fact];
  const own = lines.filter((line): line is LogEvent => "stack" in line && line.stack === stack);
  const since = own.slice(own.findLastIndex(({ event }) => voidedBy.includes(event)) + 1);
  return since.filter((line): line is FactEvent<F> => saidBy.includes(line.event));
}

type HostName = Pick<SshTarget, "address" | "hostKey">;

/** Returns when a host was shut down with no orchestrator on it; undefined if a later event of the log concerns it. */
export function findShutdownWithoutOrchestrator(lines: readonly LogEntry[], stack: string, host: HostName) {
  const shut = findValidEvents(lines, stack, "shutDown").at(-1);
  if (shut?.details.hasSigner !== false || !shut.details.hostKey || !host.hostKey) return undefined;
  if (!isSameHost(shut.details, host)) return undefined;
  const later = lines.slice(lines.indexOf(shut) + 1);
  return later.some((line) => concernsHost(line, stack, host)) ? undefined : shut.at;
}

function concernsHost(line: LogEntry, stack: string, host: HostName): boolean {
  if ("stack" in line) return line.event === "host" && isSameHost(line.details, host);
  // A stack's own move brings the orchestrator to its host.
  if (line.move.stack === stack && line.move.attempt !== undefined) return true;
  if (line.event !== "begun" && line.event !== "starting") return false;
  return [line.details.source, line.details.target].includes(computeFingerprint(host.hostKey));
}
