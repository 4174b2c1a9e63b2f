import type { Tampering } from "./eventLogs.ts";
import { canHappen, type HostEvent, isOfRetirement } from "./events.ts";
import { diskOf } from "./host.ts";
import type { Moment } from "./model.ts";
import { Broken, copyOf, type HostName, newWorld, operators, pairs, type World } from "./state.ts";
import { type Action, play, type RunSettings, type Strike, settle, type Up } from "./world.ts";
import { worldText } from "./worldText.ts";

/** Limits of a search. */
export interface Bounds {
  /** Most actions in a row. */
  readonly depth: number;
  readonly ups: readonly Up[];
  readonly events: readonly HostEvent[];
  readonly hosts: readonly HostName[];
  /** Most key generations of the bridge. */
  readonly generations: number;
  /** Blows at the beginning of each call of a run; each run is also killed before each effect. */
  readonly strikes: readonly Strike["blow"][];
  readonly laptop?: boolean;
  /** True if an operator may copy the other one's event log. */
  readonly records?: boolean;
  /** Changes by hand of the first operator's event log. */
  readonly tamperings?: readonly Tampering[];
  /** Milliseconds by which the operators' clocks may be ahead. */
  readonly clocks?: readonly number[];
  /** Actions before the search starts. */
  readonly after?: readonly Action[];
  /** True if each state must settle once nothing fails any more. */
  readonly isSettled?: boolean;
  /** Unix milliseconds. */
  readonly until?: number;
}

export interface Found {
  readonly path: readonly Action[];
  readonly why: string;
}

interface Node {
  readonly world: World;
  readonly before?: Node;
  readonly action?: Action;
}

function pathTo(node: Node | undefined, last?: Action): Action[] {
  const path = last ? [last] : [];
  for (let at = node; at?.action; at = at.before) path.unshift(at.action);
  return path;
}

/** Returns the actions other than `up` that may come next, without those that change nothing. */
function eventsIn(world: World, bounds: Bounds): Action[] {
  const { events, hosts, generations, laptop, records, ups, tamperings = [], clocks = [] } = bounds;
  const on = hosts.flatMap((host) =>
    events.filter((event) => isSensible(event, world, host)).map((event) => ({ do: event, host })),
  );
  return [
    ...on,
    ...(world.generation < generations ? [{ do: "generate" } as const] : []),
    ...(laptop && world.hasLaptop ? [{ do: "lose laptop" } as const] : []),
    ...(records && world.records.one !== world.records.two
      ? operators.map((to) => ({ do: "copy record", to }) as const)
      : []),
    ...(world.words ? ups.map((up) => ({ ...up, do: "confirm" }) as const) : []),
    ...tamperings.map((how) => ({ do: "tamper", how, by: "one" }) as const),
    ...clocks.map((ahead) => ({ do: "set clock", ahead }) as const),
  ];
}

function isSensible(event: HostEvent, { hosts, backups = [] }: World, name: HostName): boolean {
  const host = hosts[name];
  if (!canHappen(event, host, Object.values(hosts))) return false;
  if (event === "back up") return host.running && host.reachable;
  if (event === "lose backups") return name === "a" && backups.length > 0;
  if (event === "lose") return host.reachable;
  if (event === "find") return !host.reachable;
  if (event === "save") return host.saved === undefined && host.directory !== undefined;
  return true;
}

/**
 * Searches all histories breadth first, so the first one that breaks a promise is one of the shortest. Kills each run
 * before each of its effects. Continues only once from states with the same future.
 */
export function search(bounds: Bounds, settings: RunSettings = {}) {
  return withoutTraces(() => searchAll(bounds, settings));
}

/** Runs a play without stack traces, which would take a quarter of the time: errors are part of it. */
export async function withoutTraces<T>(play: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await play();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function searchAll(bounds: Bounds, settings: RunSettings) {
  const first: Node = { world: newWorld() };
  // Without a release, a fence or a state that knows them, the events decide nothing and would double the states.
  const isShared = bounds.after?.some((action) => action.do === "share state");
  const hasLines = bounds.events.some((event) => isOfRetirement(event) || event.startsWith("fence"));
  if (!isShared && !hasLines) delete first.world.lines;
  for (const action of bounds.after ?? []) await play(first.world, action, settings);
  const seen = new Set([worldText(first.world)]);
  let layer = [first];
  let transitions = 0;
  let depth = 0;
  /** @param frontier number of states that the search did not continue from */
  const result = (frontier: number, end?: Found) => {
    const isExhausted = frontier === 0 && end === undefined;
    // Includes the actions before the search, so that it can be replayed.
    const found = end && { ...end, path: [...(bounds.after ?? []), ...end.path] };
    return { states: seen.size, transitions, depth, frontier, isExhausted, found };
  };
  for (; depth < bounds.depth && layer.length > 0; depth += 1) {
    const next: Node[] = [];
    const meet = (world: World, before: Node, action: Action) => {
      transitions += 1;
      const text = worldText(world);
      if (seen.has(text)) return;
      seen.add(text);
      next.push({ world: copyOf(world), before, action });
    };
    for (const [index, node] of layer.entries()) {
      if (bounds.until !== undefined && Date.now() >= bounds.until) return result(layer.length - index + next.length);
      const found = await goOn(node, bounds, settings, meet);
      if (found) return result(layer.length - index + next.length, found);
    }
    layer = next;
  }
  return result(layer.length);
}

/** Returns false for a power cut that is as a reboot, because all is synced, and for the loss of a host that is lost. */
function isNew(blow: Strike["blow"], { hosts }: World, { stack }: Up, { strikes }: Bounds): boolean {
  const [how, side] = typeof blow === "string" ? blow.split(" ") : [];
  if (side !== "old" && side !== "new") return true;
  const host = hosts[pairs[stack][side]];
  const disk: object = diskOf(host);
  if (how === "cut" && strikes.includes(`reboot ${side}`))
    return Object.entries(host.durable ?? {}).some(([part, value]) => Reflect.get(disk, part) !== value);
  return how !== "lose" || host.reachable;
}

/** Plays every action that may follow a state. @returns the history that breaks a promise */
async function goOn(
  node: Node,
  bounds: Bounds,
  settings: RunSettings,
  meet: (world: World, before: Node, action: Action) => void,
) {
  const unlessBroken = async (work: () => Promise<unknown>, action?: Action): Promise<Found | undefined> => {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (error instanceof Broken) return { path: pathTo(node, action), why: error.message };
      throw error;
    }
  };
  const playIt = (action: Action, onMoment: (at: Moment, count: number, world: World) => void = () => undefined) =>
    unlessBroken(async () => {
      const world = copyOf(node.world);
      await play(world, action, { ...settings, onMoment: (at, count) => onMoment(at, count, world) });
      meet(world, node, action);
    }, action);
  const unsettled = bounds.isSettled && (await unlessBroken(() => settle(node.world, bounds.ups, settings)));
  if (unsettled) return unsettled;
  for (const event of eventsIn(node.world, bounds)) {
    const found = await playIt(event);
    if (found) return found;
  }
  for (const each of bounds.ups) {
    const calls: { readonly at: number; readonly blows: readonly Strike["blow"][] }[] = [];
    const act = (...strikes: Strike[]): Action => ({ do: "up", ...each, strikes });
    const found = await playIt(act(), ({ index }, count, world) => {
      if (index === 0)
        calls.push({ at: count, blows: bounds.strikes.filter((blow) => isNew(blow, world, each, bounds)) });
      // A run killed at this moment leaves this world.
      meet(world, node, act({ at: count, blow: "kill" }));
    });
    if (found) return found;
    for (const { at, blows } of calls)
      for (const blow of blows) {
        const struck = await playIt(act({ at, blow }));
        if (struck) return struck;
      }
  }
  return undefined;
}

/** Returns all moves between three hosts, in both directions. */
export function allUps(attempts: number): Up[] {
  return (["second", "third", "fourth"] as const).flatMap((stack) =>
    (["forward", "back"] as const).flatMap((direction) =>
      Array.from({ length: attempts }, (_, index) => ({ stack, direction, attempt: index + 1 })),
    ),
  );
}
