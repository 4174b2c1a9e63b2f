import type { Observation } from "../chain/node.ts";
import { formatVersionFault, type VersionGap } from "../chain/requiredVersions.ts";
import type { LookupDeps } from "./decideSynced.ts";
import { claimsSynced, isAddingMomentum } from "./judgeObservation.ts";

const intervalMs = 60 * 60 * 1000;

/**
 * Watches the version of a node during its sync: asks at the first answer, again while the version is unknown or too
 * old, and else once an hour. `notify` gets each new gap.
 */
export function watchVersion({ now, ticks, ...deps }: LookupDeps, notify: (text: string) => void) {
  let gap: VersionGap | undefined;
  let askedAt: number | undefined;
  let wasAccepted = false;
  const readVersionGaps = async (height: number): Promise<readonly VersionGap[]> => {
    const gaps = await deps.readVersionGaps(height);
    const before = gap && formatVersionFault(gap);
    [gap] = gaps;
    askedAt = ticks();
    if (gap === undefined) wasAccepted = true;
    else if (formatVersionFault(gap) !== before) notify(formatVersionFault(gap));
    return gaps;
  };
  return {
    readVersionGaps,
    /** Returns the last gap. `refusal`: why not to wait, if the first version that the node reports is too old. */
    look: async (observation: Observation) => {
      const isDue = gap !== undefined || askedAt === undefined || ticks() - askedAt >= intervalMs;
      if (isDue && observation.kind === "answer" && !isAddingMomentum(observation, now())) {
        // Until it is synced, a node may reach any height of the table; its target may be unknown for minutes.
        const isSynced = claimsSynced(observation, now());
        await readVersionGaps(isSynced ? observation.info.currentHeight : Number.POSITIVE_INFINITY);
      }
      const isRefused = gap?.isSure && !wasAccepted;
      return { gap, refusal: isRefused ? "is too old for the network: its sync is not waited for" : undefined };
    },
  };
}
