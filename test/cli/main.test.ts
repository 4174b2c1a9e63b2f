import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { scratchDirectory } from "../scratchDirectory.ts";

const bin = join(import.meta.dirname, "../../cli/bin.cjs");

/** Runs the tool without a pulumi. */
const run = (...args: string[]) =>
  execa(process.execPath, [bin, ...args], { env: { PATH: "/nonexistent" }, extendEnv: false, reject: false });

describe("the command", () => {
  const command = join(import.meta.dirname, "../../pillar-host");
  const place = scratchDirectory();

  test("stands in the project's root, and works through a link", async () => {
    await symlink(command, join(place(), "linked"));
    const { stdout } = await execa(join(place(), "linked"), ["--version"], { cwd: place() });
    expect(stdout).toBe(packageJson.version);
  });

  test("names what is needed without Node", async () => {
    for (const name of ["dirname", "readlink", "sed"]) await symlink(join("/usr/bin", name), join(place(), name));
    const options = { env: { PATH: place() }, extendEnv: false, reject: false };
    const { exitCode, stderr } = await execa("/bin/sh", [command, "status", "prod"], options);
    expect([exitCode, stderr]).toEqual([
      2,
      "pillar-host needs Node 24.11 or newer, found none in PATH\n  needed: install it from https://nodejs.org, or put it into PATH",
    ]);
  });
});

test("the command line prints its exit codes", async () => {
  const { exitCode, stdout } = await run("status", "--help");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("0    the node is synced, on the same evidence on which pulumi up continues");
});

test.each([
  // Without a name it lists all stacks, which needs pulumi.
  [["status"], "pulumi is not found in PATH"],
  [["status", "--watch"], "--watch is for one stack\n  needed: name it: ./pillar-host status STACK --watch"],
  [["status", "--mute"], "--mute is for one stack\n  needed: name it: ./pillar-host status STACK --mute"],
  [["status", "prod", "--all"], "name a stack, or give --all (which --notify and --metrics imply), and not both"],
  [["status", "--all", "--watch"], "error: option '-a, --all' cannot be used with option '-w, --watch'"],
  [["status", "prod", "--notify"], "name a stack, or give --all (which --notify and --metrics imply)"],
  [["status", "prod", "--wach"], "error: unknown option '--wach'\n(Did you mean --watch?)"],
])("the command line exits with 2 for wrong arguments: %j", async (args, text) => {
  const { exitCode, stderr } = await run(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(text);
});

test("the command line names what is needed without pulumi", async () => {
  const { exitCode, stderr } = await run("resume", "prod");
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    "pulumi is not found in PATH\n  needed: install Pulumi (https://www.pulumi.com/docs/install/), and check with: pulumi version",
  );
});
