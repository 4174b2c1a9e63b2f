import { execa } from "execa";
import { ensureCloudImage } from "./clouds/room/image";
import { takeDown, takeDownTheDead } from "./deadLabs";
import { Lab, testLabPrefix } from "./lab";
import { ensurePackagedImage } from "./packagedImage";
import { elapsed } from "./progress";
import { type RealProgram, unusedReals } from "./real";
import { ensureRequirements } from "./requirements";
import { contractsLine, contractsOf } from "./testRun/contracts";
import { recordDurations } from "./testRun/durations";
import { leftOutVariable } from "./testRun/leftOut";
import { havePassed, notePassed, ownTests, passedBefore, standsOn } from "./testRun/ownTests";
import { closingLine, countOf, exitCodeOf, failuresOf, type Report, sumOf, type Tally } from "./testRun/tally";
import { type Asked, allMinutes, askedOf, type Tier } from "./testRun/tiers";
import { endVitest, vitest } from "./testRun/vitest";
import { ensureToolchain } from "./toolchain";
import { allPlugins } from "./toolchain/plugins";
import { checkout } from "./toolchain/version";

/**
 * `npm test [-- FILTER…]`, `npm run test:long`, `npm run test:unit` (which needs neither root nor lab), and both tiers for
 * `.ci/run`: the set-up where missing, lint, types, tests. Ends with `N passed, N failed, N skipped`, of all that was run.
 */
async function main(asked: Asked): Promise<number> {
  const outcomes: Outcome[] = [];
  const end = Date.now() + allMinutes * 60_000;
  for (const tier of asked.tiers) {
    const started = Date.now();
    const deadline = Math.min(started + tier.minutes * 60_000, end);
    const outcome = await runTier(tier, asked, deadline).catch((error: Error) => {
      console.error(error.message);
      return { tally: countOf({ exitCode: 1 }), failures: [`${tier.title}: ${error.message}`] };
    });
    outcomes.push(outcome);
    const { failed } = outcome.tally;
    console.log(`\n${tier.title}: ${failed === 0 ? "done" : `${failed} failed`}, ${since(started)}`);
  }
  // A part of the tests need not use all of them.
  const unused = asked.isWhole ? unusedReals(outcomes.flatMap(({ realsUsed = [] }) => realsUsed)) : [];
  for (const failure of [...outcomes.flatMap(({ failures }) => failures), ...unused]) console.log(`failed: ${failure}`);
  for (const { spared } of outcomes) if (spared !== undefined) console.log(spared);
  console.log(contractsLine(contractsOf(outcomes.flatMap(({ report }) => report ?? []))));
  const sum = sumOf([...outcomes.map(({ tally }) => tally), { passed: 0, failed: unused.length, skipped: 0 }]);
  console.log(closingLine(sum));
  return exitCodeOf(sum);
}

/** What a tier came to, and what failed, by name. */
interface Outcome {
  readonly tally: Tally;
  readonly failures: readonly string[];
  readonly report?: Report;
  readonly realsUsed?: readonly RealProgram[];
  /** What was not run again, in words. */
  readonly spared?: string;
}

/** Told before the run and in its end: nothing is left out silently. */
const sparedLine = (spared: readonly string[]) =>
  `not run again: ${spared.length} files of tests of the lab itself, which passed on all that they stand on (npm run test:long -- --lab runs them)`;

const since = (started: number) => elapsed(Date.now() - started);

async function runTier(tier: Tier, { filters, isRecorded, isSparing }: Asked, deadline: number): Promise<Outcome> {
  if (tier.needsLab) await setUp();
  const own = tier.projects.includes("long") && filters.length === 0 ? ownTests(checkout) : [];
  const key = own.length > 0 ? await standsOn(checkout, own) : "";
  const spared = isSparing && passedBefore(key) ? own : [];
  process.env[leftOutVariable] = spared.join("\n");
  if (spared.length > 0) console.log(sparedLine(spared));
  const checking = tier.isChecked ? failedChecks() : [];
  const run = await vitest([...tier.projects.flatMap((name) => ["--project", name]), ...filters], deadline);
  await takeDownOwnLabs();
  const checks = await checking;
  if (isRecorded) recordDurations(run.durations);
  if (own.length > 0 && run.report && havePassed(own, run.report)) notePassed(key);
  return {
    tally: sumOf([countOf(run), { passed: 0, failed: checks.length, skipped: 0 }]),
    failures: [...checks, ...failuresOf(run)],
    ...(run.report === undefined ? {} : { report: run.report }),
    realsUsed: run.realsUsed,
    ...(spared.length === 0 ? {} : { spared: sparedLine(spared) }),
  };
}

async function setUp(): Promise<void> {
  await ensureRequirements();
  await ensureToolchain({ plugins: allPlugins });
  await ensurePackagedImage();
  await ensureCloudImage();
  await takeDownTheDead();
}

/**
 * Lint, arrows and names, and types, beside each other and beside the tests, which often wait: they take what those leave of
 * the processors. What each printed is told as one.
 */
async function failedChecks(): Promise<string[]> {
  const checks = [
    ["npm", "run", "-s", "lint"],
    ["tsc", "--noEmit"],
  ];
  const failed = checks.map(async ([command = "", ...args]) => {
    const check = [command, ...args].join(" ");
    const { all, exitCode } = await execa("nice", [command, ...args], {
      ...{ all: true, stdin: "ignore", reject: false },
    });
    console.log(`\n> ${check}\n${all}`);
    return exitCode === 0 ? [] : [check];
  });
  return (await Promise.all(failed)).flat();
}

let goingDown: Promise<void> | undefined;

/** Whoever asks while it is at work waits for the same. */
function takeDownOwnLabs(): Promise<void> {
  goingDown ??= (async () => {
    for (const name of await Lab.list()) if (name.startsWith(testLabPrefix(process.pid))) await takeDown(name);
  })().finally(() => {
    goingDown = undefined;
  });
  return goingDown;
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  // Not once: tsx ends a process at once that listens no longer.
  process.on(signal, () => {
    endVitest();
    void takeDownOwnLabs().finally(() => process.exit(code));
  });
}

process.exitCode = await main(askedOf(process.argv.slice(2), Boolean(process.env.CI)));
