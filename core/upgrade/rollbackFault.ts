import { formatRequirement, type VersionGap } from "../chain/requiredVersions";
import { findUnknownSporks, type Spork } from "../chain/sporks";

interface ForkFacts {
  readonly before: string | undefined;
  readonly height: number;
  /** Requirements that the old version lacks at this height. */
  readonly gaps: readonly VersionGap[];
  readonly sporks: readonly Spork[];
  /** True if the node has passed every enforced height. */
  readonly isSynced: boolean;
}

/** Returns why the old version must not come back by itself: it would follow another chain. Else undefined. */
export function findRollbackFault({ before, height, gaps: [due], sporks, isSynced }: ForkFacts): string | undefined {
  if (due) return formatRequirement(due);
  const lacked = findUnknownSporks(sporks, before).find(
    ({ enforcedFrom, isSure }) => enforcedFrom !== undefined && (isSure || enforcedFrom > height || !isSynced),
  );
  return (
    lacked && `the spork ${lacked.id.slice(0, 8)}… is active, and ${before ?? "the version before"} may not have it`
  );
}
