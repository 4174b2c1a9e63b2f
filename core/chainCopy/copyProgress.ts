import { formatSize } from "../util/sizeText";
import { formatDuration } from "../util/timeText";

/** Bytes copied at a time, by a clock that never jumps. */
export interface BytesAt {
  readonly at: number;
  readonly bytes: number;
}

/** Formats bytes, rate and time left. `seen`: recent readings, oldest first. */
export function formatCopyProgress(seen: readonly BytesAt[], total: number): string {
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last) return "";
  const percent = total > 0 ? Math.min(100, Math.floor((100 * last.bytes) / total)) : 100;
  const line = `${formatSize(last.bytes)} of ${formatSize(total)} (${percent} %)`;
  const seconds = (last.at - first.at) / 1000;
  const rate = seconds > 0 ? (last.bytes - first.bytes) / seconds : 0;
  if (rate <= 0) return line;
  const left = Math.max(0, total - last.bytes) / rate;
  return `${line}, ${((rate * 8) / 1e6).toFixed(1)} Mbit/s, ${formatDuration(left * 1000)} left`;
}

export function computeTransferTime(bytes: number, mbps: number): string {
  return formatDuration(((bytes * 8) / (mbps * 1e6)) * 1000);
}
