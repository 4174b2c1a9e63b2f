import { formatGb } from "../../../core/host/nodeFacts.ts";
import { day, hour } from "../../../core/sync/progress.ts";
import { formatUtcMinute } from "../../../core/util/timeText.ts";
import type { StackView } from "../stackView.ts";
import { type Check, wasSynced } from "./findAlerts.ts";

export type Figures = ReturnType<typeof readFigures>;

/** Returns the figures of a lookup (unix milliseconds, KiB, restarts by unit), with which later ones are compared. */
export function readFigures({ facts, sync }: StackView, at: number) {
  const info = sync?.observation.kind === "answer" ? sync.observation.info : undefined;
  const restarts = Object.fromEntries((facts?.units ?? []).map((unit) => [unit.name, unit.restarts]));
  return { at, free: facts?.disk?.free, height: info?.currentHeight, target: info?.targetHeight, restarts };
}

/** Keeps the figures of one lookup an hour, of the last day. */
export function addFigures(all: readonly Figures[], now: Figures): readonly Figures[] {
  const recent = all.filter(({ at }) => now.at - at <= day);
  return now.at - (recent.at(-1)?.at ?? 0) < hour ? recent : [...recent, now];
}

/** Checks what only several lookups show. @param before figures of earlier ones, oldest first */
export function checkTrends(view: StackView, before: readonly Figures[], now: Figures, stallAfterMs: number): Check[] {
  const { height } = now;
  const isFirstSync = !view.synced && !wasSynced(view);
  const heights = before.filter((each) => each.height !== undefined);
  const since = heights[heights.findLastIndex((each) => each.height !== height) + 1]?.at ?? now.at;
  const isStalled = isFirstSync && height !== undefined && now.at - since >= stallAfterMs;
  const reference = before.find(({ at }) => now.at - at <= 2 * hour) ?? before.at(-1) ?? now;
  return [
    ["stalled", height !== undefined, isStalled && `the sync stalls: height ${height} since ${formatUtcMinute(since)}`],
    ["filling", now.free !== undefined && before.length > 0, checkFilling(before, now, isFirstSync)],
    ["restarts", view.facts?.units !== undefined, false],
    ...Object.entries(now.restarts).map(([name, count]): Check => {
      const more = count - (reference.restarts[name] ?? count);
      const times = more === 1 ? "once" : `${more} times`;
      const text = `${name} failed and was restarted ${times} since ${formatUtcMinute(reference.at)}`;
      return [`restarts:${name}`, true, more > 0 && text];
    }),
  ];
}

/** Tells when the disk will be full, if that is soon. A trend of an hour counts for a day, one of a day for a week. */
function checkFilling(before: readonly Figures[], now: Figures, isFirstSync: boolean): string | false {
  const [first = now] = before;
  const watchedMs = now.at - first.at;
  // A large file is no trend: the disk must fill in the last hours, too.
  const lefts = [first, before.at(-3) ?? first].map((from) => {
    const used = (from.free ?? 0) - (now.free ?? 0);
    return used > 0 ? ((now.free ?? 0) / used) * (now.at - from.at) : Number.POSITIVE_INFINITY;
  });
  const left = Math.max(...lefts);
  // After the sync, the chain grows slowly.
  const syncLeft = (((now.target ?? 0) - (now.height ?? 0)) / ((now.height ?? 0) - (first.height ?? 0))) * watchedMs;
  if (left > Math.min(7 * day, 24 * watchedMs) || (isFirstSync && left > syncLeft)) return false;
  return `the disk will be full about ${formatUtcMinute(now.at + left)}: ${formatGb(now.free ?? 0)} GB are free, ${formatGb(first.free ?? 0)} were at ${formatUtcMinute(first.at)}`;
}
