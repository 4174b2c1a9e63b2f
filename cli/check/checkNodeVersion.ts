import { openNodeChain } from "../../core/chain/chain.ts";
import { createNodeTarget } from "../../core/chain/configuredNode.ts";
import { readVersionGaps } from "../../core/chain/nodeVersion.ts";
import {
  findApplicableRows,
  formatRequirement,
  formatVersionGap,
  installLines,
  type VersionGap,
} from "../../core/chain/requiredVersions.ts";
import { createVersionRules } from "../../core/chain/versionRules.ts";
import { commandsFor } from "../../core/util/commands.ts";
import type { StackInfo } from "../status/openStack.ts";
import { type CheckRow, fail, pass, pending } from "./checkRow.ts";

const topic = "node's version";

/** Returns true unless the host gets its node in the first run, which is still to come. */
export const isNodeExpected = ({ config, state }: Pick<StackInfo, "config" | "state">): boolean =>
  config.lifecycle !== "active" || state.isBegun;

/** Checks whether the node's version is enough now and later. Without an answer, lists the required versions. */
export async function checkNodeVersion(source: StackInfo): Promise<CheckRow[]> {
  const { stack, config, address, hostKey } = source;
  if (config.lifecycle === "retiring") return [];
  if (address === undefined || hostKey === undefined) return [listRequiredVersions(config, "there is no node yet")];
  if (!isNodeExpected(source)) return [listRequiredVersions(config, "the node is not installed yet")];
  const target = createNodeTarget(config, address, hostKey);
  const node = openNodeChain("the node", target);
  try {
    const observation = await node.observe();
    if (observation.kind === "none")
      return [listRequiredVersions(config, `the node does not answer: ${observation.reason}`)];
    const { currentHeight, targetHeight } = observation.info;
    const gaps = await readVersionGaps(node, target.versions, Math.max(currentHeight, targetHeight), "all");
    return [formatVersionGaps(gaps, stack, await node.version().catch(() => "unknown version"))];
  } catch (error) {
    return [pending(topic, (error as Error).message)];
  } finally {
    node.close();
  }
}

function listRequiredVersions(config: StackInfo["config"], why: string): CheckRow {
  const rows = findApplicableRows(createVersionRules(config), Number.POSITIVE_INFINITY);
  const lines = rows.flatMap((row) => [formatRequirement(row), `  ${row.release}`]);
  return pending(topic, `${why}; the main network requires:`, ...lines);
}

export function formatVersionGaps(gaps: readonly VersionGap[], stack: string, running: string): CheckRow {
  const { up } = commandsFor(stack);
  const lines = gaps.flatMap((gap) => [formatVersionGap(gap), ...installLines(gap, up).map((line) => `  ${line}`)]);
  if (gaps.length === 0) return pass(topic, `${running}: no newer version needed`);
  const report = gaps.some(({ expectedAt }) => expectedAt === undefined) ? fail : pending;
  return { ...report(topic, ...lines), isInstallNeeded: true };
}
