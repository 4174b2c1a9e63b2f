import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { realsUsed, usedVariable } from "../real/realPrograms.ts";
import { withoutLogsVariable } from "../toolchain/engineLogs.ts";
import { checkout } from "../toolchain/version.ts";
import { type FilesSeen, filesVariable } from "./fileReporter.ts";
import { madeVariable } from "./onceARun.ts";
import { notedVariable, secretsPrinted } from "./printed.ts";
import type { Run } from "./tally.ts";

/** Process group of the running runner, so that everything it started ends with it. */
let group: number | undefined;

/** Kills the runner and what it started: a test that blocks its process cannot be asked to stop. */
export function endVitest(): void {
  if (group === undefined) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // The runner has ended in the meantime.
  }
}

/**
 * Runs the tests, and kills the runner at the deadline.
 * @param deadline in milliseconds since 1970
 * @param output destination of the runner's own output
 */
export async function vitest(args: readonly string[], deadline: number, output: "inherit" | "ignore" = "inherit") {
  const dir = await mkdtemp(join(tmpdir(), "pillar-host-test-"));
  const [report, files] = [join(dir, "report.json"), join(dir, "files.json")];
  const [noted, made] = [join(dir, "noted"), join(dir, "made")];
  const [out, err] = [join(dir, "out.log"), join(dir, "err.log")];
  for (const directory of [noted, made]) await mkdir(directory, { mode: 0o700 });
  const json = async (file: string) => {
    const text = await readFile(file, "utf8").catch(() => undefined);
    return text === undefined ? undefined : JSON.parse(text);
  };
  const config = join(checkout, "test/vitest.config.ts");
  const reporters = ["default", "json", join(import.meta.dirname, "fileReporter.ts")];
  const options = [
    `--config=${config}`,
    ...reporters.map((name) => `--reporter=${name}`),
    `--outputFile.json=${report}`,
  ];
  const to = (file: string) => (output === "inherit" ? ["inherit" as const, { file }] : { file });
  try {
    const running = execa("vitest", ["run", ...options, ...args], {
      stdin: "ignore",
      stdout: to(out),
      stderr: to(err),
      buffer: false,
      reject: false,
      detached: true,
      env: {
        PILLAR_TEST_RUN: String(process.pid),
        [usedVariable]: dir,
        [filesVariable]: files,
        [notedVariable]: noted,
        [madeVariable]: made,
        // The output goes through a pipe to be searched for secrets, so colours must be forced.
        ...(process.stdout.isTTY && !process.env.NO_COLOR ? { FORCE_COLOR: "1" } : {}),
        // The engine starts the same JavaScript some hundred times: compiling it once saves a tenth of its work.
        NODE_COMPILE_CACHE: join(dir, "compiled"),
        // Rarer garbage collection than on an operator's machine saves some percent of the work.
        GOGC: "1600",
        NODE_OPTIONS: "--max-semi-space-size=64 --v8-pool-size=1",
        [withoutLogsVariable]: "1",
      },
    });
    group = running.pid;
    const limit = setTimeout(
      () => {
        console.error("\nthe tests take longer than they may: ended");
        endVitest();
      },
      Math.max(0, deadline - Date.now()),
    );
    const { exitCode = 1 } = await running;
    clearTimeout(limit);
    endVitest();
    group = undefined;
    const told = (await json(report)) as Run["report"];
    if (told === undefined) console.error("the test runner left no report");
    const leaks = secretsPrinted(noted, [out, err]);
    const { durations = {}, setUps = {}, hasStrayErrors = false } = ((await json(files)) ?? {}) as Partial<FilesSeen>;
    const seen = { durations, setUps, hasStrayErrors, realsUsed: realsUsed(dir), leaks };
    return { exitCode, ...seen, ...(told === undefined ? {} : { report: told }) } satisfies Run;
  } finally {
    await removeRunFiles(dir);
  }
}

/** Removes a run's files. A process that outlived the run may still write there; that must not hide the run's result. */
export async function removeRunFiles(dir: string, print: (line: string) => void = console.error): Promise<void> {
  const patience = { maxRetries: 5, retryDelay: 200 };
  await rm(dir, { recursive: true, force: true, ...patience }).catch((error: Error) =>
    print(`files of the run are left: ${error.message}`),
  );
}
