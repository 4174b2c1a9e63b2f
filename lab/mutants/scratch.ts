import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import type { Report } from "../testRun/tally";
import { checkout } from "../toolchain/version";

/** Milliseconds that the tests of one mistake may take. */
const limit = 240_000;

/** A copy of the checkout, as it lies there now, in which mistakes are made. */
export interface Scratch {
  read(file: string): string;
  write(file: string, text: string): void;
  /** Runs unit test files until one test has failed; undefined where they came to no end in time. */
  run(tests: readonly string[]): Promise<Report | undefined>;
  remove(): void;
}

/** Copies what git knows or would take, and links the packages. */
export async function scratchCopy(): Promise<Scratch> {
  const root = mkdtempSync(join(tmpdir(), "pillar-host-mutants-"));
  const listed = await execa("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: checkout,
  });
  for (const file of listed.stdout.split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    // One that was deleted and not committed yet is listed all the same.
    cpSync(join(checkout, file), join(root, file), { force: true, errorOnExist: false, dereference: false });
  }
  symlinkSync(join(checkout, "node_modules"), join(root, "node_modules"));
  return {
    read: (file) => readFileSync(join(root, file), "utf8"),
    write: (file, text) => writeFileSync(join(root, file), text),
    run: async (tests) => {
      const report = join(root, "report.json");
      rmSync(report, { force: true });
      const options = ["--project", "unit", "--bail", "1", "--reporter=json", `--outputFile.json=${report}`];
      const { timedOut } = await execa("vitest", ["run", ...options, ...tests], {
        ...{ cwd: root, timeout: limit, forceKillAfterDelay: 5000, reject: false, stdin: "ignore" },
        env: { VITEST_MAX_WORKERS: "2" },
      });
      return timedOut ? undefined : (JSON.parse(readFileSync(report, "utf8")) as Report);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
