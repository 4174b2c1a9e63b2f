import { headsText } from "./eventLogs.ts";
import { generationsOf, hostText, type Rank } from "./host.ts";
import { realRules } from "./rules.ts";
import {
  fenceFaultOf,
  fenceOf,
  fingerprintOf,
  type Hosts,
  hostNames,
  type Line,
  linesOf,
  type ModelRecord,
  type Operator,
  operators,
  shutDownBy,
  type World,
} from "./state.ts";

/** Returns a function that ranks a generation among all of a world, from 1; 0 is no generation. */
function rankOf({ hosts, records, words = {} }: World): Rank {
  const named = Object.values(words).map((word) => word?.laterThan ?? 0);
  const recorded = [...named, ...operators.flatMap((name) => [records[name].generation, records[name].started])];
  const all = [...recorded, ...hostNames.flatMap((name) => generationsOf(hosts[name]))];
  const sorted = [...new Set(all)].filter((each) => each > 0).sort((a, b) => a - b);
  return (generation) => sorted.indexOf(generation) + 1;
}

/** Formats a world: two worlds with the same text have the same future. */
export function worldText(world: World): string {
  const { hosts, generation, backup, hasLaptop, isHarmed, records, hasBegun } = world;
  const rank = rankOf(world);
  const recordText = ({ generation, move, started, startedOn, startedFrom, startedBy, isBehind }: ModelRecord) => {
    const open = startedFrom === undefined ? "" : `${startedFrom} ${startedBy?.stack}/${startedBy?.attempt}`;
    return `${rank(generation)} ${move?.stack ?? ""} ${rank(started)} ${startedOn ?? ""} ${open} ${isBehind}`;
  };
  // Once a start is known, it does not matter of which host a backup is.
  const isStarted = operators.every((name) => records[name].started > 0);
  const unseen = operators.map((name) => [...new Set(records[name].unseen)].sort().join("")).join();
  const known = `${recordText(records.one)} ${recordText(records.two)} ${unseen} ${hasBegun} ${isStarted ? "" : world.backupOf}`;
  return `${hostNames.map((name) => hostText(hosts[name], rank)).join("\n")}\n${generation} ${backup} ${hasLaptop} ${isHarmed} ${known} ${fencesText(world, "one")};${fencesText(world, "two")} ${retirementText(world)}${headsText(world)}${wordsText(world, rank)}`;
}

/** Formats the confirmations by the ranks of their numbers. */
function wordsText({ words }: World, rank: Rank): string {
  // headsText has the lost lines.
  return JSON.stringify({ words }, (key, value) => (key === "laterThan" ? rank(value) : key !== "lostLine" && value));
}

function fencesText(world: World, by: Operator): string {
  if (!linesOf(world, by).some(({ event }) => event === "fenced")) return "";
  const found = hostNames.map((name) => {
    const fence = fenceOf(world, world.hosts[name], realRules, by);
    // Once somebody sets the clock, a fence that counts no longer may count again.
    const age = world.clockError !== undefined && fence && Date.parse(fence.at) - world.clock;
    return `${fence?.details.how} ${fenceFaultOf(world, world.hosts[name], realRules, by) === undefined} ${age}`;
  });
  return `${found} ${world.clockError}`;
}

/**
 * Formats what a release reads of event logs and backups. Repeated events decide nothing, so each counts once.
 */
function retirementText(world: World): string {
  const { lines, backups = [] } = world;
  if (lines === undefined || (lines.one.length === 0 && lines.two.length === 0 && backups.length === 0)) return "";
  const kept = backups.map(({ hostKey, entries }) => `${hostKey} ${entries?.[0]?.path}`);
  return `${shutDownText(world.hosts, lines.one)} ${shutDownText(world.hosts, lines.two)} ${[...new Set(kept)].sort()}`;
}

function shutDownText(hosts: Hosts, lines: readonly Line[]): string {
  const shut = hostNames.map((name) => {
    const at = lines.findLastIndex(
      (line) => "stack" in line && line.stack === shutDownBy[name] && line.event === "shutDown",
    );
    if (at < 0) return "";
    const key = fingerprintOf(hosts[name]);
    const later = lines.slice(at + 1).map((line) => {
      if ("stack" in line) return line.stack === shutDownBy[name] ? line.event : "";
      return (
        (line.event === "begun" || line.event === "starting") &&
        [line.details.source, line.details.target].includes(key)
      );
    });
    return `${JSON.stringify(lines[at]?.details)} ${[...new Set(later)].sort()}`;
  });
  return `${shut} ${lines.some(({ event }) => event === "begun")}`;
}
