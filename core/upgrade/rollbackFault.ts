import { formatRequirement, type VersionGap } from "../chain/requiredVersions";
import { findUnknownSporks, type Spork } from "../chain/sporks";

interface ForkFacts {
  readonly before: string | undefined;
  readonly height: number;
  /** Requirements at this height that the old version does not meet. */
  readonly gaps: readonly VersionGap[];
  readonly sporks: readonly Spork[];
  /** True if the old version is synced, which proves that it has each spork enforced up to its height. */
  readonly isSynced: boolean;
}

/** Returns why the old version must not be restored automatically: it would follow another chain. Else undefined. */
export function findRollbackFault({ before, height, gaps: [due], sporks, isSynced }: ForkFacts): string | undefined {
  if (due) return formatRequirement(due);
  const lacked = findUnknownSporks(sporks, before).find(
    ({ enforcedFrom, isSure }) => enforcedFrom !== undefined && (isSure || enforcedFrom > height || !isSynced),
  );
  return (
    lacked && `the spork ${lacked.id.slice(0, 8)}… is active, and ${before ?? "the version before"} may not know it`
  );
}
