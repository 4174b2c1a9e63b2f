/**
 * A part of the tests that runs and is counted by itself.
 * @property projects of test/vitest.config.ts
 * @property needsLab if it boots hosts
 * @property isChecked if lint and type check run, too
 * @property minutes until the timeout, set-up included: several times the usual duration
 */
const tiers = {
  /** Proofs of each feature: `npm test`. */
  first: { title: "npm test", projects: ["unit", "lab"], needsLab: true, isChecked: true, minutes: 40 },
  /** Wide explorations, and tests of the lab itself, in files named *.long.test.ts: `npm run test:long`. */
  long: { title: "npm run test:long", projects: ["long"], needsLab: true, isChecked: false, minutes: 65 },
  /**
   * Both in one run, so that the end of one leaves no processor idle. The run stops itself at the timeout: one that is
   * killed from outside prints no closing line.
   */
  all: { title: "both tiers", projects: ["unit", "lab", "long"], needsLab: true, isChecked: true, minutes: 86 },
  unit: { title: "npm run test:unit", projects: ["unit"], needsLab: false, isChecked: false, minutes: 15 },
};

/** Options of lab/test.ts. */
export interface Asked {
  readonly tier: (typeof tiers)[keyof typeof tiers];
  /** Parts of file names, and any other argument of vitest. */
  readonly filters: readonly string[];
  /** True if the files' durations are recorded, to order the next runs. */
  readonly isRecorded: boolean;
  /** True if all tests run. */
  readonly isWhole: boolean;
  /** True if tests of the lab itself are left out, unless what they depend on has changed since they passed. */
  readonly isSparing: boolean;
}

/** Parses a command line. Without a tier, a filter applies to the files of both. */
export function askedOf(args: readonly string[]): Asked {
  const flags = ["--unit", "--long", "--all", "--record", "--lab"];
  const filters = args.filter((arg) => !flags.includes(arg));
  const isRecorded = args.includes("--record");
  const tierOf = () => {
    if (args.includes("--unit")) return tiers.unit;
    if (args.includes("--long")) return tiers.long;
    if (args.includes("--all")) return tiers.all;
    return filters.length === 0 ? tiers.first : { ...tiers.all, title: tiers.first.title };
  };
  const isWhole = args.includes("--all") && filters.length === 0;
  const isSparing = !args.includes("--lab") && filters.length === 0;
  return { tier: tierOf(), filters, isRecorded, isWhole, isSparing };
}
