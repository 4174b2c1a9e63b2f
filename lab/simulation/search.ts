import { type HostEvent, isOfRetirement } from "./events";
import type { Moment } from "./model";
import { Broken, copyOf, type HostName, newWorld, operators, type World, worldText } from "./state";
import { type Action, play, type RunSettings, type Strike, settle, type Up } from "./world";

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
  /** Actions before the search starts. */
  readonly after?: readonly Action[];
  /** True if each state must settle once nothing fails any more. */
  readonly isSettled?: boolean;
  readonly mostStates?: number;
  /** Unix milliseconds. */
  readonly until?: number;
}

export interface Found {
  readonly path: readonly Action[];
  readonly why: string;
}

export interface Searched {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** Number of states that the search did not continue from. */
  readonly frontier: number;
  readonly isExhausted: boolean;
  readonly found?: Found;
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
function eventsIn(world: World, { events, hosts, generations, laptop, records }: Bounds): Action[] {
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
  ];
}

function isSensible(event: HostEvent, { hosts, backups = [] }: World, name: HostName): boolean {
  const host = hosts[name];
  if (host.isGone) return false;
  if (event === "back up") return host.running && host.reachable;
  if (event === "lose backups") return name === "a" && backups.length > 0;
  if (event === "lose") return host.reachable;
  if (event === "find" || event === "fence") return !host.reachable;
  if (event === "rewind") return host.saved !== undefined;
  if (event === "save") return host.saved === undefined && host.directory !== undefined;
  return true;
}

/**
 * Searches all histories breadth first, so the first one that breaks a promise is one of the shortest. Kills each run
 * before each of its effects. Continues only once from states with the same future.
 */
export function search(bounds: Bounds, settings: RunSettings = {}): Promise<Searched> {
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

async function searchAll(bounds: Bounds, settings: RunSettings): Promise<Searched> {
  const first: Node = { world: newWorld() };
  // Without a release, the laptop's events decide nothing and would double the states.
  if (!bounds.events.some(isOfRetirement)) delete first.world.lines;
  for (const action of bounds.after ?? []) await play(first.world, action, settings);
  const seen = new Set([worldText(first.world)]);
  let layer = [first];
  let transitions = 0;
  let depth = 0;
  const result = (frontier: number, found?: Found): Searched => {
    const isExhausted = frontier === 0 && found === undefined;
    // Includes the actions before the search, so that it can be replayed.
    const whole = found && { ...found, path: [...(bounds.after ?? []), ...found.path] };
    return { states: seen.size, transitions, depth, frontier, isExhausted, ...(whole ? { found: whole } : {}) };
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
      const isOver =
        seen.size >= (bounds.mostStates ?? Number.POSITIVE_INFINITY) ||
        Date.now() >= (bounds.until ?? Number.POSITIVE_INFINITY);
      if (isOver) return result(layer.length - index + next.length);
      const found = await goOn(node, bounds, settings, meet);
      if (found) return result(layer.length - index + next.length, found);
    }
    layer = next;
  }
  return result(layer.length);
}

/** Plays every action that may follow a state. @returns the history that breaks a promise */
async function goOn(
  node: Node,
  bounds: Bounds,
  settings: RunSettings,
  meet: (world: World, before: Node, action: Action) => void,
) {
  const playIt = async (
    action: Action,
    onMoment?: (at: Moment, count: number, world: World) => void,
  ): Promise<Found | undefined> => {
    const world = copyOf(node.world);
    try {
      await play(
        world,
        action,
        onMoment ? { ...settings, onMoment: (at, count) => onMoment(at, count, world) } : settings,
      );
      meet(world, node, action);
      return undefined;
    } catch (error) {
      if (error instanceof Broken) return { path: pathTo(node, action), why: error.message };
      throw error;
    }
  };
  try {
    if (bounds.isSettled) await settle(node.world, bounds.ups, settings);
  } catch (error) {
    if (error instanceof Broken) return { path: pathTo(node), why: error.message };
    throw error;
  }
  for (const event of eventsIn(node.world, bounds)) {
    const found = await playIt(event);
    if (found) return found;
  }
  for (const each of bounds.ups) {
    const calls: number[] = [];
    const act = (...strikes: Strike[]): Action => ({ do: "up", ...each, strikes });
    const found = await playIt(act(), ({ index }, count, world) => {
      if (index === 0) calls.push(count);
      // A run killed at this moment leaves this world.
      meet(world, node, act({ at: count, blow: "kill" }));
    });
    if (found) return found;
    for (const at of calls)
      for (const blow of bounds.strikes) {
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
