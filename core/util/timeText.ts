/** Formats a duration: `3 d 04 h`, `2 h 05 min`, `7 min`, `40 s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${two(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

/** Formats a time, given in unix milliseconds: `2026-11-21 14:05 UTC`. */
export function formatUtcMinute(time: number): string {
  return formatUtc(time, 16);
}

/** Formats a time (unix milliseconds) as `2026-11-21 15:02:07 UTC`. */
export const formatUtcSecond = (time: number): string => formatUtc(time, 19);

const formatUtc = (time: number, length: number) =>
  `${new Date(time).toISOString().slice(0, length).replace("T", " ")} UTC`;

const gigabyte = 1e9;

/** Formats a size: `13.4 GB`, `87 MB`. */
export function formatSize(bytes: number): string {
  return bytes >= gigabyte ? `${(bytes / gigabyte).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}
