import { allUps, type Bounds } from "./search";
import { hostNames } from "./state";
import type { Action, Stack, Strike } from "./world";

type Played = Omit<Bounds, "depth">;

const all = { hosts: hostNames, generations: 2, strikes: ["fail"] } as const;

const there = (stack: Stack, ...strikes: readonly Strike[]): Action => ({
  ...{ do: "up", stack, direction: "forward", attempt: 1, strikes },
});
/** Right before the source hears that its signer is at work elsewhere. */
const atClose = 21;

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
  /** The signer went from A to B and on to C: each of them may be set back, or installed anew, or be out of sight meanwhile. */
  "a chain": {
    ...{ ...all, ups: allUps(1), events: ["lose", "find", "rewind", "reinstall"] },
    after: [
      { do: "save", host: "a" },
      there("second"),
      { do: "save", host: "b" },
      there("third"),
      { do: "save", host: "c" },
    ],
  },
  /** The first host went out of sight before it could hear of the end of its move. */
  "a chain that the first host never heard of": {
    ...{ ...all, ups: allUps(1), events: ["lose", "find", "save", "rewind", "reinstall"] },
    after: [there("second", { at: atClose, blow: "lose old" }), there("third"), { do: "find", host: "a" }],
  },
  "by hand": { ...all, ups: allUps(1), events: ["start by hand", "stop by hand", "lose", "find"] },
  "given up": {
    ...all,
    ups: allUps(1).slice(0, 2),
    events: ["release", "lose", "find", "retire", "reactivate", "lose backups"],
    laptop: true,
  },
  /** The signer moved and took part in a key generation; somebody started the old host's again, whose share is older. */
  "given up beside an older signer": {
    ...{ ...all, ups: allUps(1), events: ["release", "lose", "find", "back up", "lose backups"] },
    after: [there("second"), { do: "back up", host: "b" }, { do: "generate" }, { do: "start by hand", host: "a" }],
  },
} satisfies Record<string, Played>;
