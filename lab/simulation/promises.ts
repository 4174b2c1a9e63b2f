import type { ModelHost } from "./host";
import { Broken, hasNewest, hostNames, isAt, type World } from "./state";

/** State of the world when a run began. */
export interface Before {
  /** Reachable hosts whose orchestrator ran. */
  readonly plain: readonly ModelHost[];
  readonly hadNewest: boolean;
  /** True if event log and disks are of an earlier moment, and nothing in sight shows a later one. */
  readonly isDeceived: boolean;
}

export type By = "program" | "power" | "others";

function isStart(what: string): boolean {
  return /^signer_(start|restore) /.test(what);
}

/** Checks the promises after an effect. @returns the first one broken */
export function broke(
  world: World,
  what: string,
  by: By,
  host: ModelHost,
  { plain, hadNewest, isDeceived }: Before,
): Broken | undefined {
  const all = hostNames.map((name) => world.hosts[name]);
  // The program cannot know of an orchestrator that someone else started, or brought back with a snapshot.
  if (by === "others") host.strange = isAt(host);
  if (by === "program" && (!isAt(host) || isStart(what))) host.strange = isAt(host) && isDeceived;
  if (all.filter((each) => isAt(each) && !each.strange).length > 1) return new Broken(`${what}: two may sign now`);
  if (by !== "program") return undefined;
  if (isStart(what) && host.running && plain.some((each) => each !== host && each.running))
    return new Broken(`${what}: beside one that runs in plain sight`);
  if (hadNewest && !hasNewest(world)) return new Broken(`${what}: the newest key share is lost`);
  return undefined;
}
