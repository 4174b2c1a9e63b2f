import { formatDuration, formatUtcMinute } from "../util/timeText";
import type { SyncProgress } from "./progress";

export function formatProgress(progress: SyncProgress): string {
  const { observation, good, why, percent, rate, left } = progress;
  if (observation.kind === "none") return `no answer from the node yet: ${why.text}`;
  const { currentHeight, targetHeight } = observation.info;
  const heights = `height ${currentHeight} of ${targetHeight > 0 ? targetHeight : "an unknown target"}`;
  const parts = [percent === undefined ? heights : `${percent} %, ${heights}`];
  if (rate !== undefined) parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} momentums/s`);
  if (left !== undefined) parts.push(`about ${formatDuration(left)} left`);
  if (good) parts.push(`${why.text} (${progress.streak} of ${progress.confirmations} lookups)`);
  else {
    parts.push(`since ${formatUtcMinute(progress.startedAt)}`);
    if (why.kind !== "syncing") parts.push(why.text);
  }
  return parts.join(", ");
}
