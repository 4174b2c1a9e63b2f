import type { ModelHost } from "./host";
import { Broken, hasNewest, hostNames, isAt, type World } from "./state";

/** What was when a run began. */
export interface Before {
  /** Hosts on which a signer ran in its sight. */
  readonly plain: readonly ModelHost[];
  readonly hadNewest: boolean;
  /** Record and disks are of an earlier moment, and nothing in sight tells of a later one. */
  readonly isDeceived: boolean;
}

export type By = "program" | "power" | "others";

function isStart(what: string): boolean {
  return /^signer_(start|restore) /.test(what);
}

/** The promises, after each effect. @returns the first that was not kept */
export function broke(
  world: World,
  what: string,
  by: By,
  host: ModelHost,
  { plain, hadNewest, isDeceived }: Before,
): Broken | undefined {
  const all = hostNames.map((name) => world.hosts[name]);
  // Where it was fenced, or never was, nobody but its doer can know of it.
  if (by === "others") host.strange = isAt(host);
  if (by === "program" && (!isAt(host) || isStart(what))) host.strange = isAt(host) && isDeceived;
  if (all.filter((each) => isAt(each) && !each.strange).length > 1) return new Broken(`${what}: two may sign now`);
  if (by !== "program") return undefined;
  if (isStart(what) && host.running && plain.some((each) => each !== host && each.running))
    return new Broken(`${what}: beside one that runs in plain sight`);
  if (hadNewest && !hasNewest(world)) return new Broken(`${what}: the newest key share is lost`);
  return undefined;
}
