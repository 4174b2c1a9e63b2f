import { printable } from "../util/printable.ts";
import { isBoolean, isCount, isText, parseForm, parseList } from "./chainAnswers.ts";
import { readRequiredVersions } from "./versionRules.ts";
import { releaseNumber } from "./versions.ts";

/** A change of the network's rules (go-zenon, vm/embedded/definition/spork.go). */
export interface Spork {
  readonly id: string;
  readonly name: string;
  /** Height from which on the spork is enforced. A node without code for it ends itself minutes after that height. */
  readonly enforcedFrom?: number;
}

/** A spork that a node lacks, or may lack if this program does not know the sporks of the node's version. */
export interface UnknownSpork extends Spork {
  readonly isSure: boolean;
}

/**
 * Finds the network's sporks that a version of the node has no code for, by the table that operators edit.
 * `version`: undefined if unknown. @throws for an unreadable table
 */
export function findUnknownSporks(
  sporks: readonly Spork[],
  version: string | undefined,
  table = readRequiredVersions().sporks,
): UnknownSpork[] {
  const own = version === undefined ? undefined : table[releaseNumber(version) ?? ""];
  // Assume that a version without a row supports at least the sporks of all rows.
  const known = own ?? Object.values(table).flat();
  return sporks.filter(({ id }) => !known.includes(id)).map((spork) => ({ ...spork, isSure: own !== undefined }));
}

export function formatSpork({ id, name, enforcedFrom, isSure }: UnknownSpork, version: string | undefined): string {
  const title = `spork ${printable(name).slice(0, 60) || "without a name"} (${id.slice(0, 8)}…)`;
  const node = version === undefined ? "the node here" : `the node here, ${printable(version).slice(0, 40)},`;
  const lack = isSure
    ? `${node} does not support it`
    : `the table in core/chain/requiredVersions.json does not say whether ${node} supports it`;
  return enforcedFrom === undefined
    ? `${title} is announced, and ${lack}: a release that supports it is needed before the spork is enforced`
    : `${title} is enforced from height ${enforcedFrom} on, and ${lack}: a node without support stops at that height`;
}

const isHash = (value: unknown): value is string => isText(value) && /^[0-9a-f]{64}$/.test(value);

/** Parses an `embedded.spork.getAll` result. @throws if it has another form */
export function parseSporks(result: unknown): Spork[] {
  const checks = { id: isHash, name: isText, activated: isBoolean, enforcementHeight: isCount };
  return parseList(result, "embedded.spork.getAll").map((each) => {
    const { id, name, activated, enforcementHeight } = parseForm("spork", each, checks);
    return { id, name, enforcedFrom: activated ? enforcementHeight : undefined };
  });
}
