import { nodeTarget } from "../../core/chain/configuredNode";
import { createNodeClient } from "../../core/chain/node";
import { nodeVersion, readVersionGaps } from "../../core/chain/nodeVersion";
import {
  installLines,
  requirementText,
  rowsAt,
  type VersionGap,
  versionGapText,
} from "../../core/chain/requiredVersions";
import { versionRules } from "../../core/chain/versionRules";
import { createConnection } from "../../core/ssh/connection";
import { commandsFor } from "../../core/util/commands";
import { command } from "../../core/util/shownLine";
import type { StackSource } from "../status/openStack";
import { amiss, type CheckRow, good, later } from "./checkRow";

const topic = "node's version";

/** Checks whether the node has the versions required now and later; without a node, lists those versions. */
export async function checkNodeVersion({ stack, config, address, hostKey }: StackSource): Promise<CheckRow[]> {
  if (config.lifecycle === "retiring") return [];
  if (address === undefined || hostKey === undefined) return [versionAhead(config, "there is no node yet")];
  const target = nodeTarget(config, address, hostKey);
  const connection = createConnection(target.ssh);
  try {
    const seen = await createNodeClient(target, connection).observe();
    if (seen.kind === "none") return [versionAhead(config, `the node does not answer: ${seen.reason}`)];
    const { currentHeight, targetHeight } = seen.info;
    const gaps = await readVersionGaps(target, Math.max(currentHeight, targetHeight), connection, "all");
    return [versionRow(gaps, stack, await nodeVersion(target, connection).catch(() => "a node that does not tell it"))];
  } catch (error) {
    return [later(topic, ...(error as Error).message.split("\n"))];
  } finally {
    connection.drop();
  }
}

function versionAhead(config: StackSource["config"], why: string): CheckRow {
  const rows = rowsAt(versionRules(config), Number.POSITIVE_INFINITY);
  const lines = rows.flatMap((row) => [requirementText(row), command(`  ${row.release}`)]);
  return later(topic, `${why}; on the main network:`, ...lines);
}

export function versionRow(gaps: readonly VersionGap[], stack: string, running: string): CheckRow {
  const { up } = commandsFor(stack);
  const lines = gaps.flatMap((gap) => [versionGapText(gap), ...installLines(gap, up).map((line) => `  ${line}`)]);
  if (gaps.some(({ expectedAt }) => expectedAt === undefined)) return amiss(topic, ...lines);
  return gaps.length > 0 ? later(topic, ...lines.map(command)) : good(topic, `${running}: no newer one is required`);
}
