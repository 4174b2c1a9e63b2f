import { allUps, type Bounds } from "./search";
import { hostNames } from "./state";
import type { Action, Stack, Strike } from "./world";

type Played = Omit<Bounds, "depth">;

const all = { hosts: hostNames, generations: 2, strikes: ["fail"] } as const;

const there = (stack: Stack, ...strikes: readonly Strike[]): Action => ({
  do: "up",
  stack,
  direction: "forward",
  attempt: 1,
  strikes,
});
/** Right before the source hears that its signer is at work elsewhere. */
const atClose = 23;
const byTwo = allUps(1).map((up) => ({ ...up, by: "two" }) as const);
/** The signer went from A to B and on to C, and each disk was saved before. */
const chain: readonly Action[] = [
  { do: "save", host: "a" },
  there("second"),
  { do: "save", host: "b" },
  there("third"),
  { do: "save", host: "c" },
];

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
  /** With a record of their own: empty, or a copy of the first one's, which is soon an old one. */
  "a second operator": {
    ...all,
    ups: allUps(1),
    events: [],
    generations: 1,
    records: true,
    strikes: byTwo.map((up) => ({ up })),
  },
  "two records": {
    ...all,
    ups: [...allUps(1), ...byTwo],
    events: ["lose", "find"],
    generations: 1,
    strikes: ["store refuses"],
    laptop: true,
    records: true,
    isSettled: true,
  },
  "disks of earlier moments": { ...all, ups: allUps(1), events: ["lose", "find", "save", "rewind", "reinstall"] },
  /** Each of them may be set back, or installed anew, or be out of sight meanwhile. */
  "a chain": { ...all, ups: allUps(1), events: ["lose", "find", "rewind", "reinstall"], after: chain },
  "a chain, record lost": {
    ...all,
    ups: allUps(1),
    events: ["lose", "find", "rewind", "reinstall"],
    after: [...chain, { do: "lose laptop" }],
  },
  /** The second operator's is of before the second move. */
  "a chain, an old record": {
    ...all,
    ups: byTwo,
    events: ["rewind", "reinstall"],
    laptop: true,
    records: true,
    after: chain.toSpliced(2, 0, { do: "copy record", to: "two" }),
  },
  /** The signer is on B, whose disk was saved there. */
  "a store that refuses": {
    ...all,
    ups: allUps(1),
    events: ["rewind"],
    strikes: ["store refuses"],
    after: [there("second"), { do: "save", host: "b" }],
  },
  /** The first host went out of sight before it could hear of the end of its move. */
  "a chain that the first host never heard of": {
    ...all,
    ups: allUps(1),
    events: ["lose", "find", "save", "rewind", "reinstall"],
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
    ...all,
    ups: allUps(1),
    events: ["release", "lose", "find", "back up", "lose backups"],
    after: [there("second"), { do: "back up", host: "b" }, { do: "generate" }, { do: "start by hand", host: "a" }],
  },
} satisfies Record<string, Played>;
