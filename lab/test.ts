import { execa } from "execa";
import { ensureCloudImage } from "./clouds/room/image.ts";
import { ensurePackagedImage } from "./images/packagedImage.ts";
import { ensureProviderImage } from "./images/providerImage.ts";
import { Lab, testLabPrefix } from "./lab.ts";
import { realDirectory, unusedReals } from "./real/realPrograms.ts";
import { takeDown, takeDownTheDead } from "./testRun/deadLabs.ts";
import { leftOutVariable, recordDurations } from "./testRun/durations.ts";
import { hashesOf, notePassed, ownTests, passedBefore } from "./testRun/ownTests.ts";
import {
  closingLine,
  contractsLine,
  contractsOf,
  countOf,
  exitCodeOf,
  failuresOf,
  sumOf,
  withSecondAttempt,
  worthAgain,
} from "./testRun/tally.ts";
import { type Asked, askedOf } from "./testRun/tiers.ts";
import { endVitest, vitest } from "./testRun/vitest.ts";
import { ensureToolchain } from "./toolchain/index.ts";
import { allPlugins } from "./toolchain/plugins.ts";
import { checkout } from "./toolchain/version.ts";
import { elapsed } from "./util/progress.ts";
import { ensureRequirements } from "./util/requirements.ts";

/**
 * Runs `npm test [-- FILTER…]`, `npm run test:long`, `npm run test:unit` (which needs neither root nor lab), and both
 * tiers for `.ci/run`: missing set-up, lint, types, tests, and each failed lab file once more. The last line is `N
 * passed, N failed, N skipped`, over everything that ran.
 */
async function main(asked: Asked): Promise<number> {
  const { tier } = asked;
  const started = Date.now();
  const { tally, failures, notes, report } = await runTier(asked, started + tier.minutes * 60_000).catch(
    (error: Error) => {
      console.error(error.message);
      const failures = [`${tier.title}: ${error.message}`];
      return { tally: countOf({ exitCode: 1 }), failures, notes: [], report: undefined };
    },
  );
  console.log(`\n${tier.title}: ${tally.failed === 0 ? "done" : `${tally.failed} failed`}, ${since(started)}`);
  for (const failure of failures) console.log(`failed: ${failure}`);
  console.log(contractsLine(contractsOf(report ? [report] : [])));
  for (const note of notes) console.log(note);
  console.log(closingLine(tally));
  return exitCodeOf(tally);
}

/** Formats the line about files left out. It is printed before the run and at its end, so that no one misses it. */
const sparedLine = (spared: readonly string[]) =>
  `left out: ${spared.length} files of tests of the lab itself, which passed on all that they stand on as it is now (test/ownTests.json; npm run test:long -- --lab runs them)`;

const againLine = (file: string) => `flaky: ${file} failed, and passed when it ran once more, alone`;

const since = (started: number) => elapsed(Date.now() - started);

/** Runs a tier. Returns its result, with the failures by name, and notes: files left out, or run twice. */
async function runTier(asked: Asked, deadline: number) {
  const { tier, filters, isRecorded, isSparing, isWhole } = asked;
  if (tier.needsLab) await setUp(tier.projects.includes("long") && filters.length === 0);
  // Options such as -t run a part of a file, which proves nothing about the whole.
  const areWhole = tier.projects.includes("long") && !filters.some((filter) => filter.startsWith("-"));
  const own = areWhole ? await hashesOf(checkout, ownTests(checkout)) : {};
  // Available real programs prove more than the recorded hashes cover.
  const spared = isSparing && realDirectory() === undefined ? passedBefore(checkout, own) : [];
  process.env[leftOutVariable] = spared.join("\n");
  if (spared.length > 0) console.log(sparedLine(spared));
  const checking = tier.isChecked ? failedChecks() : [];
  const projects = tier.projects.flatMap((name) => ["--project", name]);
  let run = await vitest([...projects, ...filters], deadline);
  await takeDownOwnLabs();
  const checks = await checking;
  const again: string[] = [];
  // A developer who names a file wants to see it fail.
  for (const file of filters.length === 0 ? worthAgain(run) : []) {
    console.log(`\n${file} failed: it runs once more, alone`);
    const first = run;
    run = withSecondAttempt(first, file, await vitest([...projects, file], deadline));
    await takeDownOwnLabs();
    if (run.report !== first.report)
      again.push(againLine(file), ...failuresOf(first).filter((failure) => failure.startsWith(file)));
  }
  if (isRecorded) recordDurations(run.durations);
  if (run.report) notePassed(checkout, own, run.report);
  // A part of the tests may not need every real program.
  const unused = isWhole ? unusedReals(run.realsUsed) : [];
  return {
    tally: sumOf([countOf(run), { passed: 0, failed: checks.length + unused.length, skipped: 0 }]),
    failures: [...checks, ...failuresOf(run), ...unused],
    report: run.report,
    notes: [...(spared.length === 0 ? [] : [sparedLine(spared)]), ...again],
  };
}

/** @param isAll true if images that few files need are begun, too: within a test, a slow mirror would take its time */
async function setUp(isAll: boolean): Promise<void> {
  await ensureRequirements();
  // Not awaited: a file that needs one waits, and says why it can't be made.
  if (isAll) for (const each of ["debian-12", "debian-13"] as const) ensureProviderImage(each).catch(() => undefined);
  // The images wait for downloads while the engine's build computes.
  await Promise.all([ensureToolchain({ plugins: allPlugins }), ensureImages()]);
  await takeDownTheDead();
}

async function ensureImages(): Promise<void> {
  await ensurePackagedImage();
  await ensureCloudImage();
}

/**
 * Runs lint, imports, names, and types, beside the tests, which often wait and leave processor time. Prints the output
 * of each in one piece.
 */
async function failedChecks(): Promise<string[]> {
  const checks = [
    ["npm", "run", "-s", "lint"],
    ["tsc", "--noEmit"],
  ];
  const failed = checks.map(async ([command = "", ...args]) => {
    const check = [command, ...args].join(" ");
    const { all, exitCode } = await execa("nice", [command, ...args], {
      all: true,
      stdin: "ignore",
      reject: false,
    });
    console.log(`\n> ${check}\n${all}`);
    return exitCode === 0 ? [] : [check];
  });
  return (await Promise.all(failed)).flat();
}

let goingDown: Promise<void> | undefined;

/** Takes down the labs of this run. A second call waits for the first. */
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
  // Not `once`: tsx ends a process at once if nothing listens any more.
  process.on(signal, () => {
    endVitest();
    void takeDownOwnLabs().finally(() => process.exit(code));
  });
}

process.exitCode = await main(askedOf(process.argv.slice(2)));
