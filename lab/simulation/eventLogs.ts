import { findLastHash, type LogFault } from "../../core/eventLog/logIntegrity.ts";
import { formatLine } from "../../core/eventLog/logLine.ts";
import type { ModelHost } from "./host.ts";
import { type Rules, realRules } from "./rules.ts";
import {
  fenceFaultOf,
  type HostName,
  type Line,
  linesOf,
  type Operator,
  operators,
  pairs,
  type Stack,
  type World,
} from "./state.ts";

/** Changes of an event log by hand: the other operator's lines before it, its last two exchanged, the last but one again. */
export type Tampering = "join records" | "exchange lines" | "repeat line";

/** Each line as it stands in its log, with its hash. */
const written = new WeakMap<Line, { readonly text: string; readonly hash: string | undefined }>();

const textsOf = (world: World, by: Operator) => linesOf(world, by).map((line) => written.get(line)?.text ?? "");
const lastOf = (world: World, by: Operator) => written.get(linesOf(world, by).at(-1) as Line)?.hash;

const setLines = (world: World, by: Operator, own: readonly Line[]) =>
  Object.assign(world, { lines: { one: [], two: [], ...world.lines, [by]: own } });

/** Appends an event to an operator's log. */
export function note(world: World, by: Operator, line: Line): void {
  if (by === "one" && !world.hasLaptop && !world.heads) return;
  const text = formatLine(line, lastOf(world, by));
  written.set(line, { text, hash: findLastHash([text]) });
  setLines(world, by, [...linesOf(world, by), line]);
  knowHead(world, by, by, realRules);
}

/** Stores the newest line's hash on a machine, as storeHead; in the state of a stack's move; or in that of a host's guard. */
export function knowHead(world: World, by: Operator, place: Operator | Stack | HostName, rules: Rules): void {
  if (world.heads === undefined) return;
  const before = world.heads[place];
  const isGuard = place.length === 1;
  if (place === by && before && !linesOf(world, by).some((line) => written.get(line)?.hash === before)) return;
  world.heads = {
    ...world.heads,
    [place]: isGuard ? rules.mergeHeads(textsOf(world, by), before) : lastOf(world, by),
  };
}

/** Returns why an operator's log proves nothing to a stack's move, or to a host's guard. */
export function logFaultOf(world: World, by: Operator, place: Stack | HostName, rules: Rules): LogFault | undefined {
  if (world.heads === undefined) return undefined;
  const { [by]: onMachine, [place]: inState } = world.heads;
  const reader = place.length === 1 ? "guard" : "move";
  const fault = rules.findFault(textsOf(world, by), { log: "log", by: reader, file: "heads", onMachine, inState });
  if (fault === undefined) knowHead(world, by, by, rules);
  return fault;
}

/**
 * Returns the lost host of a restore if it is on although the operator's sentence counts, and the event log lacks that a
 * run has seen it, which a copy of that log may have (docs/safety.md, Limits).
 */
export function findUnseenHost(world: World, by: Operator, stack: Stack): ModelHost | undefined {
  const { old } = pairs[stack];
  const host = world.hosts[old];
  if (host.reachable || !world.records[by].unseen.includes(old)) return undefined;
  const isTrusted = fenceFaultOf(world, host, realRules, by) === undefined && !logFaultOf(world, by, stack, realRules);
  return isTrusted ? host : undefined;
}

/** Changes an operator's log by hand. */
export function tamper(world: World, by: Operator, how: Tampering): void {
  const own = linesOf(world, by);
  world.isHarmed = true;
  const changed: Record<Tampering, readonly Line[]> = {
    "join records": [...linesOf(world, by === "one" ? "two" : "one"), ...own],
    "exchange lines": [...own.slice(0, -2), ...own.slice(-2).reverse()],
    "repeat line": [...own, ...own.slice(-2, -1)],
  };
  setLines(world, by, changed[how]);
}

/** Formats both logs' lines by number, with those that each place knows and those that were given up. */
export function headsText(world: World): string {
  const { heads, words = {} } = world;
  if (heads === undefined) return "";
  const logs = operators.map((by) => linesOf(world, by).map((line) => written.get(line)?.hash ?? ""));
  const places = Object.entries(heads).map(([place, known = ""]) => [place, ...known.split(" ")]);
  const all = [...new Set([...logs.flat(), ...places.flatMap(([, ...known]) => known)])];
  const number = (hash = "-") => all.findIndex((each) => each.startsWith(hash));
  const lost = operators.map((by) =>
    linesOf(world, by).flatMap((line) => (line.event === "confirmed" ? number(`${line.details.value}`) : [])),
  );
  const known = places.map(([place, ...hashes]) => `${place} ${hashes.map(number)}`);
  const named = Object.values(words).map((word) => number(word?.lostLine));
  return JSON.stringify([known.sort(), logs.map((log) => log.map(number)), lost, named]);
}
