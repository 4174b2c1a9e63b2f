import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { ensureCloudImage } from "./clouds/room/image";
import { takeDownTheDead } from "./deadLabs";
import { Lab, testLabPrefix } from "./lab";
import { ensurePackagedImage } from "./packagedImage";
import { ensureRequirements } from "./requirements";
import { ensureToolchain } from "./toolchain";
import { allPlugins } from "./toolchain/plugins";

/** What vitest's JSON report says, as far as it is counted here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: ReadonlyArray<{
    readonly name: string;
    readonly status: string;
    readonly assertionResults: ReadonlyArray<{ readonly status: string }>;
  }>;
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
    await ensureToolchain({ plugins: allPlugins });
    await ensurePackagedImage();
    await ensureCloudImage();
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
  const run = await vitest(unitOnly ? ["--project", "unit", ...filters] : filters);
  for (const failure of failures) console.log(`failed: ${failure}`);
  const { passed, failed, skipped } = countOf(run);
  console.log(`\n${passed} passed, ${failed + failures.length} failed, ${skipped} skipped`);
  return failed + failures.length > 0 || passed === 0 ? 1 : 0;
}

interface Run {
  readonly exitCode: number;
  readonly report?: Report;
}

function countOf({ exitCode, report }: Run): { passed: number; failed: number; skipped: number } {
  if (!report) return { passed: 0, failed: 1, skipped: 0 };
  const skipped = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status !== "passed" && status !== "failed").map(() => name),
  );
  // A lab test that was not run has proved nothing.
  const lost = skipped.filter((name) => name.includes("/test/lab/")).length;
  // A file that could not be loaded has no failed test of its own.
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
  const failed = report.numFailedTests + lost + unloaded;
  // The runner fails on more than tests and files: an error outside of any of them.
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: skipped.length - lost,
  };
}

async function vitest(args: readonly string[]): Promise<Run> {
  const dir = await mkdtemp(join(tmpdir(), "pillar-host-test-"));
  const file = join(dir, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { exitCode = 1 } = await execa("vitest", ["run", ...reporters, ...args], {
      stdio: "inherit",
      reject: false,
      // The engine starts the same JavaScript some hundred times: compiled once, a tenth of its work less.
      env: { PILLAR_TEST_RUN: String(process.pid), NODE_COMPILE_CACHE: join(dir, "compiled") },
    });
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) console.error("the test runner left no report");
    return text === undefined ? { exitCode } : { exitCode, report: JSON.parse(text) as Report };
  } finally {
    const own = (await Lab.list()).filter((name) => name.startsWith(testLabPrefix(process.pid)));
    for (const name of own) await (await Lab.open(name)).down();
    await rm(dir, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv.slice(2));
