import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";

const bin = join(import.meta.dirname, "../../cli/bin.js");

/** Runs the tool where there is no pulumi. */
async function run(...args: string[]) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [bin, ...args], {
    env: { PATH: "/nonexistent" },
    extendEnv: false,
    reject: false,
  });
  return { exitCode, stdout, stderr };
}

describe("the command line", () => {
  test("tells its exit codes", async () => {
    const { exitCode, stdout } = await run("status", "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("0    the node is synced, on the same evidence on which pulumi up lets it pass");
  });

  test.each([
    [["status"], "error: missing required argument 'stack'"],
    [["status", "prod", "--wach"], "error: unknown option '--wach'\n(Did you mean --watch?)"],
    [["status", "prod", "--json", "--watch"], "error: option '--json' cannot be used with option '-w, --watch'"],
    [["resume", "prod", "--yes"], "error: unknown option '--yes'"],
    [["report"], "error: missing required argument 'stack'"],
    [
      ["report", "prod", "--json", "--output", "x"],
      "error: option '--json' cannot be used with option '--output <dir>'",
    ],
    [["halt"], "error: unknown command 'halt'"],
  ])("that can't be used ends with 2: %j", async (args, text) => {
    const { exitCode, stderr } = await run(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
  });

  test("without pulumi says what is needed", async () => {
    const { exitCode, stderr } = await run("resume", "prod");
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      "pulumi is not found in PATH\n  needed: Pulumi (https://www.pulumi.com/docs/install/), and a shell that finds it (pulumi version)",
    );
  });
});
