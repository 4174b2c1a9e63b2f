import type { ProducerOwner, ProductionQuestion } from "../../core/chain/production.ts";
import type { LogEntry, MoveEvent } from "../../core/eventLog/events.ts";
import { isSameMove } from "../../core/eventLog/moveId.ts";

type Unknown = Readonly<{ unknown: string }>;

export const getOwner = (entry: LogEntry) => ("move" in entry ? entry.move : entry);
export const getTime = (entry: LogEntry) => Date.parse(getDate(entry));

/** Returns the time of an event, which may be before the event was written. */
export function getDate(entry: LogEntry): string {
  if (entry.event === "synced") return entry.details.syncedAt;
  if (entry.event === "producing") return entry.details.switchedAt;
  if (entry.event === "done" || entry.event === "rolledBack") return entry.details.movedAt ?? entry.at;
  return entry.at;
}

type RegistrationEvent = Extract<LogEntry, { event: "producing" | `registered${string}` }>;
export const isRegistration = (entry: LogEntry): entry is RegistrationEvent =>
  entry.event === "producing" || entry.event.startsWith("registered");

/** A time without the orchestrator, until it answered `at` (ISO 8601). */
export type OrchestratorGap = { readonly at: string } & (Readonly<{ seconds: number }> | Unknown);

/** Returns each time without the orchestrator: of moves there and back, and of failed runs that started it again. */
export function findOrchestratorGaps(entries: readonly LogEntry[]): OrchestratorGap[] {
  const moves = entries.filter((entry): entry is MoveEvent => "move" in entry);
  return moves.flatMap((entry, index): OrchestratorGap[] => {
    const at = getDate(entry);
    const seconds = getSeconds(entry);
    if (seconds !== undefined) return [{ at, seconds }];
    if (isEnd(entry)) return [{ at, unknown: "nobody knows when it stopped" }];
    const isOver = moves
      .slice(index)
      .some((each) => isSameMove(each.move, entry.move) && (isEnd(each) || getSeconds(each) !== undefined));
    return entry.event === "starting" && !isOver ? [{ at, unknown: "a move of it has not ended" }] : [];
  });
}

const isEnd = ({ event }: MoveEvent) => event === "done" || event === "rolledBack";
const getSeconds = ({ details }: MoveEvent) =>
  "secondsWithoutSigner" in details ? details.secondsWithoutSigner : undefined;

export type Window = Omit<ProductionQuestion, "pillar"> | Unknown;

/** Returns the addresses and the time in which a migration may have cost slots, or why they are not known. */
export function findWindow(entries: readonly LogEntry[], stack: string): Window {
  const all = entries.filter(isRegistration);
  const own = all.filter((entry) => entry.stack === stack);
  const seen = own.length > 0 ? own : all;
  const ours = seen.findLast(({ event }) => event !== "registeredElsewhere")?.details.producerAddress;
  const old = seen.flatMap(({ details }) => ("earlier" in details && details.earlier) || []).at(-1);
  if (!ours || !old)
    return { unknown: `the event log does not have the ${ours ? "old" : "new"} host's producer address` };
  const others = seen.map(({ details }): [string, ProducerOwner] => [details.producerAddress, "other"]);
  const risky = entries.filter(({ event }) => event === "begun" || event === "shuttingDown" || event === "shutDown");
  const times = [...risky, ...seen].map(getTime);
  const to = seen.at(-1)?.event === "producing" ? Math.max(...times) : undefined;
  return { owners: new Map([...others, [old, "old"], [ours, "new"]]), from: Math.min(...times), to };
}
