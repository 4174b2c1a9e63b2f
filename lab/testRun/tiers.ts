/** A part of the tests that is run and counted by itself. */
export interface Tier {
  readonly title: string;
  /** The projects of vitest.config.mts. */
  readonly projects: readonly string[];
  /** Whether it boots hosts. */
  readonly needsLab: boolean;
  /** Whether lint and type check go before it. */
  readonly isChecked: boolean;
  /** After so many minutes it is ended, and has failed: set-up included, several times what it takes. */
  readonly minutes: number;
}

/** Each feature's proof: `npm test`. */
const first: Tier = {
  title: "npm test",
  projects: ["unit", "lab"],
  needsLab: true,
  isChecked: true,
  minutes: 40,
};

/** What explores widely, and the tests of the lab itself, in files named *.long.test.ts: `npm run test:long`. */
const long: Tier = {
  title: "npm run test:long",
  projects: ["long"],
  needsLab: true,
  isChecked: false,
  minutes: 65,
};

/**
 * Both in one run, so that no tail of one leaves processors idle. A run that is ended from outside has no closing line: it ends
 * itself before.
 */
const all: Tier = {
  title: "both tiers",
  projects: [...first.projects, ...long.projects],
  needsLab: true,
  isChecked: true,
  minutes: 86,
};

const unit: Tier = { title: "npm run test:unit", projects: ["unit"], needsLab: false, isChecked: false, minutes: 15 };

/** What is asked of lab/test.ts. */
export interface Asked {
  readonly tier: Tier;
  /** Parts of file names; whatever else vitest understands. */
  readonly filters: readonly string[];
  /** The files' durations are written down, for the order of the next runs. */
  readonly isRecorded: boolean;
  /** All tests there are. */
  readonly isWhole: boolean;
  /** The tests of the lab itself are left out where nothing has changed under them since they passed. */
  readonly isSparing: boolean;
}

/** Returns what a command line asks for. Without a tier a filter finds the files of both. */
export function askedOf(args: readonly string[]): Asked {
  const flags = ["--unit", "--long", "--all", "--record", "--lab"];
  const filters = args.filter((arg) => !flags.includes(arg));
  const isRecorded = args.includes("--record");
  const tierOf = () => {
    if (args.includes("--unit")) return unit;
    if (args.includes("--long")) return long;
    if (args.includes("--all")) return all;
    return filters.length === 0 ? first : { ...all, title: first.title };
  };
  const isWhole = args.includes("--all") && filters.length === 0;
  const isSparing = !args.includes("--lab") && filters.length === 0;
  return { tier: tierOf(), filters, isRecorded, isWhole, isSparing };
}
