import type { LogEvent, MoveEvent } from "../../core/eventLog/events";
import { isSameMove, type MoveId } from "../../core/eventLog/moveId";
import type { Lines } from "./lines";

/** What of a record concerns a stack. */
export interface Scope {
  readonly stack: string;
  readonly pillar: string;
  /** Those that take part, the stack itself first. */
  readonly stacks: readonly string[];
  /** In the order of time. */
  readonly events: readonly LogEvent[];
  readonly moves: readonly MoveEvent[];
  readonly unread: number;
}

/** A signer's moves, each once (pure): the last backup of a host that is given up is no attempt at one. */
export function movesOf(moves: readonly MoveEvent[]): MoveId[] {
  const all = moves.map(({ move }) => move).filter(({ attempt }) => attempt !== undefined);
  return all.filter((move, at) => all.findIndex((other) => isSameMove(other, move)) === at);
}

/** When a thing happened, which may be before it was seen and written; unix milliseconds (pure). */
export function timeOf(entry: LogEvent | MoveEvent): number {
  return Date.parse(happenedAt(entry));
}

/** The same, ISO 8601 (pure). */
export function happenedAt(entry: LogEvent | MoveEvent): string {
  if (entry.event === "synced") return entry.details.syncedAt;
  if (entry.event === "producing") return entry.details.switchedAt;
  if (entry.event === "done" || entry.event === "rolledBack") return entry.details.movedAt ?? entry.at;
  return entry.at;
}

/** The stacks that a record knows (pure). */
export function stacksOf({ events, moves }: Pick<Lines, "events" | "moves">): string[] {
  return [...new Set([...events.map(({ stack }) => stack), ...moves.map(({ move }) => move.stack)])];
}

/**
 * Chooses what concerns a stack (pure): all of its own, and of the other stacks of its Pillar what happened from its
 * first event to its deletion. A record may hold years: the migration before it and the one after it are other stories.
 *
 * @returns undefined where the record does not know the stack
 */
export function scopeOf({ events, moves, unread }: Lines, stack: string): Scope | undefined {
  const all = [
    ...events
      .map((entry) => registeredBefore(entry, events))
      .map((entry) => ({ stack: entry.stack, pillar: entry.pillar, entry })),
    ...moves.map((entry) => ({ stack: entry.move.stack, pillar: entry.move.pillar, entry })),
  ].sort((a, b) => timeOf(a.entry) - timeOf(b.entry));
  const own = all.filter((each) => each.stack === stack);
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last) return undefined;
  const begin = timeOf(first.entry);
  const end = last.entry.event === "released" ? timeOf(last.entry) : Number.POSITIVE_INFINITY;
  const isMeant = ({ stack: other, pillar, entry }: (typeof all)[number]) =>
    pillar === last.pillar && (other === stack || (timeOf(entry) >= begin && timeOf(entry) <= end));
  const kept = all.filter(isMeant).map(({ entry }) => entry);
  const chosen = {
    events: kept.filter((entry): entry is LogEvent => "stack" in entry),
    moves: kept.filter((entry): entry is MoveEvent => "move" in entry),
  };
  const others = stacksOf(chosen).filter((other) => other !== stack);
  return { stack, pillar: last.pillar, stacks: [stack, ...others], ...chosen, unread };
}

/** A registration is there before the momentums that it leads to, also where a look saw it only after the first of them. */
function registeredBefore(entry: LogEvent, events: readonly LogEvent[]): LogEvent {
  if (entry.event !== "registered") return entry;
  const next = events
    .slice(events.indexOf(entry) + 1)
    .find(({ stack, event }) => stack === entry.stack && ["producing", "registeredElsewhere"].includes(event));
  const isItsOwn = next?.event === "producing" && next.details.producerAddress === entry.details.producerAddress;
  return isItsOwn && timeOf(next) < timeOf(entry) ? { ...entry, at: happenedAt(next) } : entry;
}
