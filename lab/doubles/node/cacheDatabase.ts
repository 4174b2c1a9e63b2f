import { setTimeout as sleep } from "node:timers/promises";
import { storedHeight, storeHeight } from "./database.ts";

/** Height up to which a cache above the chain is taken back (go-zenon: chain/cache/storage/db.go, rollbackCacheSize). */
const rollbackCacheSize = 100;

/** Momentums between two lines about the progress. */
const reportedMomentums = 100_000;

const pollMs = 50;

/** Options of {@link readIntoCache}. */
interface CacheReading {
  readonly dataDir: string;
  /** Time in which the whole chain would be read. */
  readonly cacheMs: number;
  readonly isStopped: () => boolean;
  readonly print: (line: string) => void;
}

/**
 * Reads every momentum that the cache database lacks into it, as go-zenon's chainCache.Init does before the p2p port
 * and the RPC open (chain/cache.go:115-157 at c9d3973; node/node.go, Start). The cache grows meanwhile, so a start after
 * a kill continues there.
 * @throws if the cache is too far ahead of the chain
 */
export async function readIntoCache({ dataDir, cacheMs, isStopped, print }: CacheReading): Promise<void> {
  const height = storedHeight(dataDir) ?? 0;
  const start = storedHeight(dataDir, "cache") ?? 0;
  if (start > height + rollbackCacheSize) {
    throw new Error(`can't rollback cache. Target identifier {${height}} is outside the rollback cache`);
  }
  if (height - start >= reportedMomentums) print("Initializing cache: 0%");
  const since = Date.now();
  let cached = Math.min(start, height);
  while (cached < height) {
    await sleep(pollMs);
    if (isStopped()) return;
    const share = cacheMs === 0 ? 1 : (Date.now() - since) / cacheMs;
    const next = Math.min(height, start + Math.floor(share * height));
    storeHeight(dataDir, next, "cache");
    for (const line of progressLines(cached, next, height)) print(line);
    cached = next;
  }
  storeHeight(dataDir, height, "cache");
}

/** Returns a line for each hundred thousand momentums. */
function progressLines(from: number, to: number, height: number): string[] {
  const count = Math.floor(to / reportedMomentums) - Math.floor(from / reportedMomentums);
  const first = Math.floor(from / reportedMomentums) + 1;
  return Array.from({ length: count }, (_, index) => {
    const read = (first + index) * reportedMomentums;
    return `Initializing cache: ${Math.floor((read * 100) / height)}%`;
  });
}
