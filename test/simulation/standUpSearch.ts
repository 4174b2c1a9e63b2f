import { type Act, befall, begun, brokenBy, CronScript, type Program, type StandUp, up } from "./standUp";

const happens = [
  "catch up",
  "fall behind",
  "hand",
  "save",
  "rewind",
  "reinstall",
  "pin",
  "lose state",
  "upgrade",
  "register",
] as const;
/** Runs that may be needed once faults have stopped. */
const most = 3;

export interface StandUpSearched {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly isExhausted: boolean;
  /** A shortest history that breaks a promise. */
  readonly found?: { readonly why: string; readonly path: readonly Act[] };
}

/**
 * Searches all histories of a stand-up, breadth first, until no new state comes. Kills each run before each of its
 * effects; from each state, a few undisturbed runs must complete. Continues once from equal states.
 */
export async function searchStandUp(program: Program, most = 60_000): Promise<StandUpSearched> {
  const cron = new CronScript(program.script);
  const seen = new Map<string, { readonly before?: string; readonly act?: Act }>([[JSON.stringify(begun), {}]]);
  let layer: StandUp[] = [begun];
  let transitions = 0;
  let depth = 0;
  const pathTo = (text: string, last?: Act): Act[] => {
    const path = last ? [last] : [];
    for (let at = seen.get(text); at?.act; at = at.before === undefined ? undefined : seen.get(at.before))
      path.unshift(at.act);
    return path;
  };
  const result = (isExhausted: boolean, found?: StandUpSearched["found"]): StandUpSearched => ({
    states: seen.size,
    transitions,
    depth,
    isExhausted,
    ...(found ? { found } : {}),
  });
  for (; layer.length > 0; depth += 1) {
    const next: StandUp[] = [];
    for (const world of layer) {
      if (seen.size > most) return result(false);
      const text = JSON.stringify(world);
      const meet = (to: StandUp, act: Act) => {
        transitions += 1;
        const at = JSON.stringify(to);
        if (seen.has(at)) return;
        seen.set(at, { before: text, act });
        next.push(to);
      };
      const why = await settles(world, program, cron);
      if (why !== undefined) return result(false, { why, path: pathTo(text) });
      for (let dies: number | undefined = 0; ; dies += 1) {
        const act: Act = { do: "up", dies };
        const played = await up(world, program, cron, dies);
        const broken = brokenBy(world, played);
        if (broken !== undefined) return result(false, { why: broken, path: pathTo(text, act) });
        meet(played.world, act);
        if (played.ended !== "died") break;
      }
      for (const each of happens) {
        const to = befall(world, each);
        if (to) meet(to, { do: each });
      }
    }
    layer = next;
  }
  return result(true);
}

/** Checks that a few runs complete once faults have stopped, the node catches up and the key is pinned. */
async function settles(world: StandUp, program: Program, cron: CronScript): Promise<string | undefined> {
  let at = befall(world, "pin") ?? world;
  for (let run = 0; run < most; run += 1) {
    at = befall(at, "catch up") ?? at;
    const played = await up(at, program, cron);
    if (played.ended === "done" && played.shown && played.world.host.line !== "on" && played.world.host.marked)
      return undefined;
    at = played.world;
  }
  return "once faults have stopped, no run ends with the address shown, and the hourly restart off for good";
}
