import { chmodSync, copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readCommands } from "../cli/commands/readCommands.ts";
import packageJson from "../package.json" with { type: "json" };
import { scratchDirectory } from "./scratchDirectory.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const scratch = scratchDirectory();

/** Starts `.ci/run` in a checkout whose tests are this script. */
function startCi(tests: string) {
  for (const folder of [".ci", "lab/util"]) mkdirSync(join(scratch(), folder), { recursive: true });
  for (const file of [".ci/run", "package.json"]) copyFileSync(join(root, file), join(scratch(), file));
  // Any machine passes the check of the machine.
  writeFileSync(join(scratch(), "lab/util/machine.cjs"), "");
  writeFileSync(join(scratch(), "lab/run"), `#!/bin/sh\n${tests}\n`);
  chmodSync(join(scratch(), "lab/run"), 0o755);
  return execa(join(scratch(), ".ci/run"), { all: true, reject: false, stdin: "ignore" });
}

test(".ci/run is README's test command with both tiers, and ends with its closing line and exit code", async () => {
  expect(read("README.md")).toMatch(/^npm test$/m);
  expect(read(".ci/run")).toMatch(/^exec npm --silent test -- --all\n$/m);
  const { all, exitCode } = await startCi('echo "ran: $*"; echo "1 passed, 2 failed, 0 skipped"; exit 3');
  expect({ all, exitCode }).toEqual({ all: "ran: lab/test.ts --all\n1 passed, 2 failed, 0 skipped", exitCode: 3 });
});

test("no shell is between .ci/run and the tests: it would not pass on a signal, which takes down the labs", async () => {
  const run = startCi("echo $PPID");
  expect((await run).all).toBe(String(run.pid));
});

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

test("GitHub's workflow may only read, and runs the project's commands by pinned actions on its own Node", () => {
  const workflow = parse(read(".github/workflows/tests.yml"));
  expect(workflow.on).toHaveProperty("pull_request");
  expect(workflow.permissions).toEqual({ contents: "read" });
  const jobs = Object.values<{ readonly steps: readonly Step[] }>(workflow.jobs);
  const whole = 'sudo env "PATH=$PATH" .ci/run';
  const known = ["npm ci", whole, ...Object.keys(packageJson.scripts).map((name) => `npm run ${name}`)];
  const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run));
  expect(commands.filter((command) => !known.includes(command))).toEqual([]);
  expect(commands).toEqual(expect.arrayContaining(["npm run lint", "npm run typecheck", "npm run test:unit", whole]));
  for (const { steps } of jobs) {
    for (const { uses } of steps) expect(uses ?? "none").toMatch(/^none$|@[0-9a-f]{40}$/);
    expect(steps.map((step) => step.with?.["node-version-file"])).toContain(".nvmrc");
    const files = steps.flatMap((step) => Object.entries(step.with ?? {}).filter(([name]) => name.endsWith("-file")));
    expect(files.filter(([, file]) => !existsSync(join(root, String(file))))).toEqual([]);
  }
});

test("GitHub's forms are YAML, and the commands that they ask for exist", () => {
  const files = globSync(".github/**/*.yml", { cwd: root });
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) expect(parse(read(file)), file).toBeTypeOf("object");
  const asked = [...read(".github/ISSUE_TEMPLATE/problem.yml").matchAll(/\.\/pillar-host (\w+) STACK( --\w+)?/g)];
  expect(asked.map(([, name]) => name)).toEqual(["status", "report"]);
  for (const [, name, option] of asked) {
    const command = readCommands.find((each) => each.name() === name);
    expect(command?.options.map(({ long }) => long)).toContain(option?.trim() ?? "--json");
  }
});
