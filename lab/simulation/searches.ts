import { allUps, type Bounds } from "./search";
import { hostNames } from "./state";

type Played = Omit<Bounds, "depth">;

const all = { hosts: hostNames, generations: 2, strikes: ["fail"] } as const;

/** What is searched: each kind of harm by itself, since all of them together leave no depth. */
export const searches = {
  /** Nothing but crashes, in one stack: to the end. */
  "one move": {
    ...all,
    ups: allUps(2).filter(({ stack }) => stack === "second"),
    events: ["reboot", "cut power", "lose", "find"],
    hosts: ["a", "b"],
    strikes: ["fail", "reboot old", "reboot new", "cut old", "cut new", "lose old", "lose new"],
    isSettled: true,
  },
  "three stacks": { ...all, ups: allUps(1), events: ["cut power", "lose", "find"], isSettled: true },
  "a second operator": {
    ...all,
    ups: allUps(1),
    events: [],
    strikes: allUps(1).map((up) => ({ up })),
  },
  "disks of earlier moments": { ...all, ups: allUps(1), events: ["lose", "find", "save", "rewind", "reinstall"] },
  "by hand": { ...all, ups: allUps(1), events: ["start by hand", "stop by hand", "lose", "find"] },
  "given up": { ...all, ups: allUps(1).slice(0, 2), events: ["release", "lose", "find"], laptop: true },
} satisfies Record<string, Played>;
