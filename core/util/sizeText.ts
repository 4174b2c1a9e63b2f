const gigabyte = 1e9;

/** Formats a size: `13.4 GB`, `87 MB`. */
export function formatSize(bytes: number): string {
  return bytes >= gigabyte ? `${(bytes / gigabyte).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}
