import { findVersionGaps, requirementText, type VersionRules } from "../chain/requiredVersions";
import { type Spork, unknownSporks } from "../chain/sporks";

export interface ForkFacts {
  readonly before: string | undefined;
  readonly height: number;
  readonly genesis: string | undefined;
  readonly rules: VersionRules | undefined;
  readonly sporks: readonly Spork[];
  /** It has passed what is enforced already. */
  readonly isSynced: boolean;
}

/** Returns why the version before must not come back by itself, or undefined (pure): it would follow another chain. */
export function wayBackFault({ before, height, genesis, rules, sporks, isSynced }: ForkFacts): string | undefined {
  const gaps = rules === undefined ? [] : findVersionGaps({ version: before, genesis }, rules, height, 0);
  const due = gaps.find(({ expectedAt }) => expectedAt === undefined);
  if (due) return requirementText(due);
  const lacked = unknownSporks(sporks, before).find(
    ({ enforcedFrom, isSure }) => enforcedFrom !== undefined && (isSure || enforcedFrom > height || !isSynced),
  );
  return (
    lacked && `the spork ${lacked.id.slice(0, 8)}… is active, and ${before ?? "the version before"} may not have it`
  );
}
