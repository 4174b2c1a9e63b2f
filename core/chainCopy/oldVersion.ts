import { isAnswered } from "../chain/reading";
import { formatVersionGap, installLines, type VersionGap } from "../chain/requiredVersions";
import { compareChains } from "../chain/sameChain";
import type { ReferenceAnswers } from "../sync/references";

const witnessesNeeded = 2;

/**
 * Returns why the database of an outdated node is not copied. Below the height of the requirement all chains are one,
 * so a witness counts only for a momentum at or above it.
 */
export function findOldVersionFault(
  gaps: readonly VersionGap[],
  { readings, own }: ReferenceAnswers,
): string | undefined {
  const [gap] = gaps;
  if (gap === undefined) return undefined;
  const from = Math.max(...gaps.map(({ fromHeight }) => fromHeight));
  const compared = readings.filter(isAnswered).map((reading) => ({
    name: reading.client.name,
    ...(own ? compareChains(own, reading) : ({ verdict: "unsaid", height: 0 } as const)),
  }));
  const above = compared.filter(({ height }) => height >= from);
  const other = above.find(({ verdict }) => verdict === "other");
  if (other)
    return `the old host's database is of another chain: its momentum ${other.height} is not that of ${other.name}. Such a database is never copied: its node needs a resync from an empty one`;
  const same = new Set(above.flatMap(({ verdict, name }) => (verdict === "same" ? [name] : [])));
  if (same.size >= witnessesNeeded) return undefined;
  return `of the old host's node: ${formatVersionGap(gap)}; its chain may be another one, and ${same.size} of ${witnessesNeeded} needed witnesses (sync.references) confirm a momentum of it from ${from} on. Add witnesses, or ${installLines(gap)[0]}`;
}
