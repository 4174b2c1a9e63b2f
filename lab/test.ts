import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ensureBaseImage } from "./baseImage";
import { Lab, testLabPrefix } from "./lab";
import { ensureRequirements } from "./requirements";
import { ensureToolchain } from "./toolchain";

/** What vitest's JSON report says, as far as it is counted here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numFailedTestSuites: number;
}

/**
 * `npm test [-- FILTER…]`: the set-up where missing, then lint, types, unit and lab tests. `npm run test:unit` is the
 * part that needs neither root nor lab. Ends with `N passed, N failed, N skipped`.
 */
async function main(args: readonly string[]): Promise<number> {
  const unitOnly = args.includes("--unit");
  const filters = args.filter((arg) => arg !== "--unit");
  const failures: string[] = [];
  if (!unitOnly) {
    await ensureRequirements();
    await ensureToolchain();
    await ensureBaseImage();
    await takeDownTheDead();
    for (const check of [
      ["biome", "check", "."],
      ["tsc", "--noEmit"],
    ]) {
      console.log(`\n> ${check.join(" ")}`);
      const [command = "", ...rest] = check;
      if ((await execa(command, rest, { stdio: "inherit", reject: false })).exitCode !== 0)
        failures.push(check.join(" "));
    }
  }
  const report = await vitest(unitOnly ? ["--project", "unit", ...filters] : filters);
  const failed = failures.length + (report?.numFailedTests ?? 0);
  // A file that could not even be loaded has no failed tests of its own.
  const broken = report === undefined || (report.numFailedTests === 0 && report.numFailedTestSuites > 0) ? 1 : 0;
  const passed = report?.numPassedTests ?? 0;
  for (const failure of failures) console.log(`failed: ${failure}`);
  console.log(
    `\n${passed} passed, ${failed + broken} failed, ${(report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0)} skipped`,
  );
  return failed + broken > 0 || passed === 0 ? 1 : 0;
}

async function vitest(args: readonly string[]): Promise<Report | undefined> {
  const dir = await mkdtemp(join(tmpdir(), "pillar-host-test-"));
  const file = join(dir, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    await execa("vitest", ["run", ...reporters, ...args], {
      stdio: "inherit",
      reject: false,
      env: { PILLAR_TEST_RUN: String(process.pid) },
    });
    return JSON.parse(await readFile(file, "utf8")) as Report;
  } catch (error) {
    console.error(`the test runner left no report: ${error instanceof Error ? error.message : error}`);
    return undefined;
  } finally {
    await rm(dir, { recursive: true, force: true });
    for (const name of await Lab.list())
      if (name.startsWith(testLabPrefix(process.pid))) await (await Lab.open(name)).down();
  }
}

/** Labs of test runs that were killed; those of runs that are at work beside this one are left alone. */
async function takeDownTheDead(): Promise<void> {
  for (const name of await Lab.list()) {
    const pid = /^t(\d+)x/.exec(name)?.[1];
    if (pid && !(await isRunning(Number(pid)))) await (await Lab.open(name)).down();
  }
}

async function isRunning(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).includes("lab/test.ts");
}

process.exitCode = await main(process.argv.slice(2));
