import { allUps, type Bounds } from "./search.ts";
import { type HostName, hostNames, type Stack } from "./state.ts";
import type { Action, Strike, Up } from "./world.ts";

type Played = Omit<Bounds, "depth">;

const all = { hosts: hostNames, generations: 2, strikes: ["fail"] } as const;

const there = (stack: Stack, ...strikes: readonly Strike[]): Action => ({
  do: "up",
  stack,
  direction: "forward",
  attempt: 1,
  strikes,
});
/** Effect right before the source learns that its orchestrator runs on the other host. */
const atClose = 23;
const confirmed = (stack: Stack): Action => ({ do: "confirm", stack, direction: "forward", attempt: 1 });
const save = (host: HostName): Action => ({ do: "save", host });
const byTwo = allUps(1).map((up) => ({ ...up, by: "two" }) as const);
/** The orchestrator moved from A to B and on to C; a snapshot of each disk was taken before. */
const chain: readonly Action[] = [
  { do: "save", host: "a" },
  there("second"),
  { do: "save", host: "b" },
  there("third"),
  { do: "save", host: "c" },
];

/** A backup of A was taken, and A is lost. */
const lost: readonly Action[] = [
  { do: "back up", host: "a" },
  { do: "lose", host: "a" },
];
const restored = (...strikes: readonly Strike[]): Action => ({
  ...{ do: "up", stack: "second", direction: "forward", attempt: 1 },
  isRestore: true,
  strikes,
});
/** Effect right before the target's start. */
const afterUnpack = 9;
/** Restores of A on B, and moves, also by a configuration with a backup that was left over. */
const fenced = {
  ...all,
  ups: [false, true].map((isRestore) => ({ stack: "second", direction: "forward", attempt: 1, isRestore }) as const),
  events: ["fence", "fence by API", "switch on", "switch on early", "lose", "find"],
  hosts: ["a"],
  generations: 1,
} as const;

export const tamperings = ["join records", "exchange lines", "repeat line"] as const;
export const yearMs = 365 * 86_400_000;
const clockAhead = (ahead: number): Action => ({ do: "set clock", ahead });
const shared: Action = { do: "share state" };
/** Effects right after the copy beforehand, and after the backup. */
const afterCopy = 5;
const afterBackup = 10;

const fence: Action = { do: "fence", host: "a" };
const brokenOff: readonly Action[] = [...lost, fence, restored({ at: afterUnpack, blow: "kill" })];

/** Begins of histories of a host that is restored elsewhere, and comes back. */
export const lostHostBegins: readonly (readonly Action[])[] = [
  [...lost, fence, { do: "switch on", host: "a" }],
  [...lost, fence, { do: "switch on early", host: "a" }],
  [...brokenOff, { do: "switch on", host: "a" }],
  lost,
];
const [fencedLongAgo, fencedNow, restoreBrokenOff] = lostHostBegins;

/** Searches, one for each kind of harm: all kinds together would leave no depth. */
export const searches = {
  /** Crashes only, in one stack, until no new state appears. */
  "one move": {
    ...all,
    ups: allUps(2).filter(({ stack }) => stack === "second"),
    events: ["reboot", "cut power", "lose", "find"],
    hosts: ["a", "b"],
    strikes: ["fail", "reboot old", "reboot new", "cut old", "cut new", "lose old", "lose new"],
    isSettled: true,
  },
  "three stacks": { ...all, ups: allUps(1), events: ["cut power", "lose", "find"], isSettled: true },
  /** The second operator's event log is empty, or a copy of the first one's that soon is outdated. */
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
  /** Each host may be restored, reinstalled or unreachable for a while. */
  "a chain": { ...all, ups: allUps(1), events: ["lose", "find", "rewind", "reinstall"], after: chain },
  "a chain, record lost": {
    ...all,
    ups: allUps(1),
    events: ["lose", "find", "rewind", "reinstall"],
    after: [...chain, { do: "lose laptop" }],
  },
  /** The second operator's event log is from before the second move. */
  "a chain, an old record": {
    ...all,
    ups: byTwo,
    events: ["rewind", "reinstall"],
    laptop: true,
    records: true,
    after: chain.toSpliced(2, 0, { do: "copy record", to: "two" }),
  },
  /** The orchestrator is on B, and a snapshot was taken there. */
  "a store that refuses": {
    ...all,
    ups: allUps(1),
    events: ["rewind"],
    strikes: ["store refuses"],
    after: [there("second"), { do: "save", host: "b" }],
  },
  /** The first host became unreachable before it could learn of the end of its move. */
  "a chain that the first host never heard of": {
    ...all,
    ups: allUps(1),
    events: ["lose", "find", "save", "rewind", "reinstall"],
    after: [there("second", { at: atClose, blow: "lose old" }), there("third"), { do: "find", host: "a" }],
  },
  /** The orchestrator moved from A to B, where a backup was taken; B is lost, and C restores it. A may be in the way. */
  "a lost host": {
    ...all,
    ups: [
      ...allUps(1).filter(({ stack, direction }) => direction === "forward" || stack === "third"),
      { stack: "third", direction: "forward", attempt: 1, isRestore: true },
    ],
    events: ["fence", "lose", "find", "rewind", "reinstall", "start by hand"],
    after: [{ do: "save", host: "a" }, there("second"), { do: "save", host: "c" }, { do: "lose", host: "b" }],
  },
  /** A has the orchestrator, and a backup was taken there; an operator names B as lost, perhaps after a move to B. */
  "a lost host that never had the orchestrator": {
    ...all,
    ups: [
      { stack: "second", direction: "forward", attempt: 1 },
      { stack: "third", direction: "forward", attempt: 1, isRestore: true },
    ],
    events: ["fence", "lose", "find"],
    hosts: ["b"],
    generations: 1,
    after: [{ do: "back up", host: "a" }],
  },
  /** A backup was taken of A; A is lost and fenced, and was switched on again an hour later. The fence is in the event log. */
  "a fence of long ago": { ...fenced, after: fencedLongAgo },
  /** A was switched on within the hour of its fence. */
  "a fence whose host came back at once": { ...fenced, after: fencedNow },
  /** A restore broke off after its unpack; then A was switched on. */
  "a restore that broke off": { ...fenced, after: restoreBrokenOff },
  "a lost host that comes back": { ...fenced, after: lost },
  /** A was fenced while the operator's clock was a year ahead, and came back later. */
  "a fence by a wrong clock": {
    ...fenced,
    clocks: [-yearMs, 0, yearMs],
    after: [...lost, clockAhead(yearMs), fence, clockAhead(0), { do: "switch on", host: "a" }],
  },
  /** A was fenced, switched on at once and seen; it is lost again. Then the operator changes the event log. */
  "a fence in a changed event log": {
    ...fenced,
    tamperings,
    after: [shared, ...lost, fence, { do: "switch on early", host: "a" }, restored(), { do: "lose", host: "a" }],
  },
  /**
   * A was fenced, the second operator copied the event log, and A was switched on at once. The first operator's run saw A,
   * which is lost again. The copy lacks that, so a restore by the copy trusts the sentence (docs/safety.md, Limits).
   */
  "a fence in a copied event log": {
    ...fenced,
    ups: [true, false].flatMap((isRestore) => [
      { ...there("second"), isRestore } as Up,
      { ...there("second"), isRestore, by: "two" } as Up,
    ]),
    events: ["lose", "find"],
    records: true,
    after: [
      ...[shared, ...lost, fence, { do: "copy record", to: "two" }, { do: "switch on early", host: "a" }],
      ...[restored(), { do: "lose", host: "a" }],
    ] as Action[],
  },
  /** The first operator shut B's node down; the second one set B active again, and moved the orchestrator there. */
  "two event logs, given up": {
    ...all,
    ups: [{ ...there("second") }, { ...there("second"), by: "two" }] as Up[],
    events: ["release", "retire", "lose", "find"],
    hosts: ["b"],
    generations: 1,
    records: true,
    tamperings,
    after: [
      shared,
      { do: "retire", host: "b" },
      { do: "reactivate", host: "b", by: "two" },
      { ...there("second"), by: "two" } as Action,
      { do: "lose", host: "b" },
    ],
  },
  /**
   * An operator brought the orchestrator back from B to A by hand, moved it again, lost the event log's last lines, and
   * confirmed each: then it moved on to C and A, and C was wiped. The second operator has an old event log.
   */
  "confirmations left over": {
    ...all,
    ups: allUps(1).filter(({ stack }) => stack !== "fourth"),
    events: ["rewind", "reinstall"],
    hosts: ["a", "b"],
    generations: 1,
    records: true,
    after: [
      ...[shared, save("a"), there("second"), { do: "copy record", to: "two" }],
      ...[
        { do: "stop by hand", host: "b" },
        { do: "reinstall", host: "b" },
        { do: "rewind", host: "a" },
      ],
      ...[confirmed("second"), there("second"), save("b"), { do: "copy record", to: "one" }],
      ...[confirmed("third"), confirmed("third"), there("third"), there("fourth"), { do: "reinstall", host: "c" }],
    ] as Action[],
  },
  "by hand": { ...all, ups: allUps(1), events: ["start by hand", "stop by hand", "lose", "find"] },
  "given up": {
    ...all,
    ups: allUps(1).slice(0, 2),
    events: ["release", "lose", "find", "retire", "reactivate", "lose backups"],
    laptop: true,
  },
  /**
   * The orchestrator moved and took part in a key generation. Then someone started the old host's, whose share is
   * older.
   */
  "given up beside an older signer": {
    ...all,
    ups: allUps(1),
    events: ["release", "lose", "find", "back up", "lose backups"],
    after: [there("second"), { do: "back up", host: "b" }, { do: "generate" }, { do: "start by hand", host: "a" }],
  },
  /** B has the newest share, which a move beforehand copied there; A was set back to an older one. */
  "given up beside a newer share": {
    ...all,
    ups: allUps(1).slice(0, 2),
    events: ["release", "lose", "find", "back up"],
    after: [
      ...[save("a"), there("second", { at: afterBackup, blow: "kill" }), { do: "rewind", host: "a" }],
      ...[{ do: "generate" }, there("second", { at: afterCopy, blow: "kill" }), { do: "rewind", host: "a" }],
    ] as Action[],
  },
} satisfies Record<string, Played>;
