import type { HostEvent } from "./events.ts";
import type { Found } from "./search.ts";
import { allUps, withoutTraces } from "./search.ts";
import { lostHostBegins, tamperings, yearMs } from "./searches.ts";
import { randomOf } from "./seededRandom.ts";
import { Broken, type HostName, hostNames, newWorld, operators } from "./state.ts";
import { type Action, play, type RunSettings, type Strike, settle } from "./world.ts";

const events: readonly HostEvent[] = [
  ...(["reboot", "cut power", "lose", "find", "find", "save", "rewind"] as const),
  ...(["reinstall", "start by hand", "stop by hand", "release"] as const),
  ...(["retire", "reactivate", "back up", "lose backups"] as const),
  ...(["fence", "fence by API", "switch on", "switch on early"] as const),
];
const strikes = ["kill", "fail", "break", "store refuses", "reboot", "cut", "lose", "up"] as const;
const mostActions = 16;
/** More than any saga has. */
const mostEffects = 34;

/** Returns the actions of a seed. */
function historyOf(seed: number): Action[] {
  const random = randomOf(seed);
  const one = <T>(of: readonly [T, ...T[]] | readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const ups = [...allUps(2), ...allUps(2), ...allUps(2).map((each) => ({ ...each, by: "two" }) as const)];
  // Harm suspends some promises, so half of the histories have none.
  const isCalm = seed % 2 === 0;
  const isShared = seed % 4 === 1;
  const calm = events.filter((event) => !/rewind|reinstall|hand/.test(event));
  const strike = (): Strike => {
    const struck = one(isCalm ? strikes : ([...strikes, "unmask", "start"] as const));
    const at = Math.floor(random() * mostEffects);
    if (struck === "up") return { at, blow: { up: one(ups) } };
    if (struck === "kill" || struck === "fail" || struck === "break" || struck === "store refuses")
      return { at, blow: struck };
    return { at, blow: `${struck} ${one(["old", "new"] as const)}` };
  };
  const up = (isRestore: boolean): Action => {
    const struck = Array.from({ length: Math.floor(random() * 3) }, strike);
    return { do: "up", ...one(ups), isRestore, strikes: struck };
  };
  const on = (host: HostName, ...happened: readonly HostEvent[]) =>
    happened.map((each) => ({ do: each, host }) as const);
  // By single events, a host that comes back while a restore of it has broken off is rare.
  const begin = seed % 5 === 0 ? one(lostHostBegins) : [];
  const actions = Array.from({ length: 4 + Math.floor(random() * (mostActions - 4)) }, (): readonly Action[] => {
    const what = random();
    if (what < 0.55) return [up(random() < 0.2)];
    if (what < 0.62) return [{ do: "generate" }];
    if (what < 0.64) return [{ do: "lose laptop", by: one(operators) }];
    if (what < 0.68) return [{ do: "copy record", to: one(operators) }];
    if (what < 0.69) return [{ do: "set clock", ahead: one([-yearMs, 0, yearMs]) }];
    // Only where the runs know the newest line, the simulation asks for an event log's faults.
    if (what < 0.7) return isShared ? [{ do: "tamper", how: one(tamperings), by: one(operators) }] : [];
    // A host with a backup is lost, and is switched on again sooner or later; by single events that is rare.
    if (what < 0.73) return [...on(one(hostNames), "back up", "lose", one(["fence", "fence by API"])), up(true)];
    if (what < 0.76) return [...on(one(hostNames), "switch on", "lose"), up(random() < 0.5)];
    return on(one(hostNames), one(isCalm ? calm : events));
  });
  const confirmed = (action: Action): Action[] =>
    isShared && action.do === "up" && action.strikes.length === 0 ? [{ ...action, do: "confirm" }, action] : [action];
  return [...(isShared ? [{ do: "share state" } as const] : []), ...begin, ...actions.flat().flatMap(confirmed)];
}

/**
 * Plays a history, then checks that the world settles.
 * @returns the broken promise, and the actions up to it
 */
export async function replay(path: readonly Action[], settings: RunSettings = {}): Promise<Found | undefined> {
  const world = newWorld();
  let played = 0;
  try {
    for (const action of path) {
      played += 1;
      await play(world, action, settings);
    }
    await settle(world, allUps(1), settings);
    return undefined;
  } catch (error) {
    if (error instanceof Broken) return { path: path.slice(0, played), why: error.message };
    throw error;
  }
}

/**
 * Shortens a history that breaks a promise: leaves out actions and strikes one by one for as long as one still breaks.
 */
export async function minimised(found: Found, settings: RunSettings = {}): Promise<Found> {
  let best = found;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const smaller of smallerThan(best.path)) {
      const again = await replay(smaller, settings);
      if (again === undefined) continue;
      best = again;
      isSmaller = true;
      break;
    }
  }
  return best;
}

function smallerThan(path: readonly Action[]): Action[][] {
  return path.flatMap((action, index) => [
    path.toSpliced(index, 1),
    ...(action.do === "up"
      ? action.strikes.map((_strike, at) =>
          path.toSpliced(index, 1, { ...action, strikes: action.strikes.toSpliced(at, 1) }),
        )
      : []),
  ]);
}

/** Plays histories by seed until one breaks a promise, or their time or number is used up. */
export async function randomHistories(
  seed: number,
  { most, until }: { readonly most: number; readonly until: number },
  settings: RunSettings = {},
) {
  return withoutTraces(async () => {
    let actions = 0;
    let histories = 0;
    for (; histories < most && Date.now() < until; histories += 1) {
      const path = historyOf(seed + histories);
      actions += path.length;
      const found = await replay(path, settings);
      if (found === undefined) continue;
      const smallest = { ...(await minimised(found, settings)), seed: seed + histories };
      return { histories: histories + 1, actions, found: smallest };
    }
    return { histories, actions, found: undefined };
  });
}
