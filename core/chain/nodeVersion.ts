import { withTimeout } from "../util/withTimeout.ts";
import type { ChainClient } from "./chain.ts";
import { isAnswered, type Reading } from "./reading.ts";
import { findApplicableRows, findVersionGaps, formatVersionGap, type VersionGap } from "./requiredVersions.ts";
import type { VersionRules } from "./versionRules.ts";

/**
 * Reads which required versions a node lacks. Never throws: an unknown version counts as a gap. `due`: the requirements
 * that apply at this height (without any, the node is not asked). `all`: future ones, too.
 */
export async function readVersionGaps(
  client: Pick<ChainClient, "version" | "momentums">,
  rules: VersionRules | undefined,
  height: number,
  which: "due" | "all" = "due",
): Promise<VersionGap[]> {
  if (rules === undefined || (which === "due" && findApplicableRows(rules, height).length === 0)) return [];
  const version = await client.version().catch(() => undefined);
  const gapsOf = (genesis?: string) =>
    findVersionGaps({ version, genesis }, rules, height, Date.now()).filter(
      ({ expectedAt }) => which === "all" || expectedAt === undefined,
    );
  const gaps = gapsOf();
  // Requirements from height 0 on apply to every network, so the first momentum does not matter for them.
  if (gaps.every(({ fromHeight }) => fromHeight === 0)) return gaps;
  const [first] = await client.momentums(1, 1).catch(() => []);
  return gapsOf(first?.hash);
}

const versionTimeoutMs = 2000;

/**
 * Adds a fault to the reading of a reference that lacks a version required at its height: it may be on another chain.
 * Never throws. @param known versions that suffice, by the client's name, which are not asked for again
 */
export async function addVersionFault<T extends object>(
  reading: Reading<T>,
  rules: VersionRules | undefined,
  known = new Map<string, string>(),
): Promise<Reading<T>> {
  if (!isAnswered(reading)) return reading;
  const { client, newest } = reading;
  const version = async () => {
    const found = known.get(client.name) ?? (await client.version());
    known.set(client.name, found);
    return found;
  };
  const gaps = readVersionGaps({ ...client, version }, rules, newest.height);
  const [gap] = await withTimeout(gaps, versionTimeoutMs).catch(() => []);
  if (gap) known.delete(client.name);
  // Public nodes may hide their version, and a node that lies about its chain can lie about its version, too.
  return gap?.found === undefined ? reading : { client, fault: { kind: "old", why: formatVersionGap(gap, "it") } };
}
