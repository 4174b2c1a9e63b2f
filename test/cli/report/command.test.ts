import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { least } from "../../components/exampleConfig.ts";
import { scratchDirectory } from "../../scratchDirectory.ts";
import { printConfig, runTool } from "../fakePulumi.ts";
import { textOf, wholeWay } from "./exampleLog.ts";

const whole = textOf(wholeWay);
const gone = "echo \"error: no stack named 'prod-2' found\" >&2; exit 255";

const program = scratchDirectory();

/** Runs the command in the program's directory, with this script as pulumi. */
async function run(script: string, ...args: string[]) {
  const { exitCode, stdout, stderr } = await runTool(program(), script, ["report", ...args]);
  return { exitCode, stdout, stderr };
}

function writeLog(directory: string, text = whole): string {
  const place = join(program(), directory);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "record.jsonl"), text);
  return place;
}

const pulumiWith = (config: Record<string, unknown>) => `echo '${printConfig(config)}'`;

test("the event log's place is the configured one, which is not written to", async () => {
  const place = writeLog("elsewhere");
  const script = pulumiWith({ ...least, orchestrator: { backup: { directory: "elsewhere" } } });
  const { stdout, stderr } = await run(script, "prod-2");
  expect(stderr).toBe("");
  expect(stdout).toContain(`Event log:  ${place}`);
  expect(readdirSync(place)).toEqual(["record.jsonl"]);
  expect(readFileSync(join(place, "record.jsonl"), "utf8")).toBe(whole);
});

test("the event log's place is the user's data directory by default, and the report names the key", async () => {
  const place = writeLog("data/pillar-host/records/Anvil");
  mkdirSync(join(program(), "data/pillar-host/keys"));
  writeFileSync(join(program(), "data/pillar-host/keys/Anvil.age-identity"), "AGE-SECRET-KEY-1NONE\n");
  const { exitCode, stdout } = await run(pulumiWith(least), "prod-2");
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Event log:  ${place}\nKey:        `)]);
});

test("the event log's place is the one of --directory for a stack that is gone, without a run of pulumi", async () => {
  const place = writeLog("kept");
  const refused = await run(gone, "prod-2");
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toMatch(/^there is no stack prod-2 here\n(.*\n)*To read the event log .* --directory /);
  const { exitCode, stdout } = await run(
    "touch asked; exit 1",
    "ada/pillar-host/prod-2",
    "--directory",
    "kept",
    "--html",
    "page.html",
  );
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Own slots missed: unknown: --directory names no node that could be asked.");
  expect(readFileSync(join(program(), "page.html"), "utf8")).toContain("Pillar Anvil, stack prod-2, with prod");
  expect(stdout.split("\n")[0]).toBe("Pillar Anvil, stack prod-2, with prod");
  expect(stdout).toContain(`Event log:  ${place}`);
  expect(existsSync(join(program(), "asked"))).toBe(false);
});

test("the event log's place is named in the refusal of a stack that it does not have", async () => {
  const place = writeLog("kept");
  const { exitCode, stderr } = await run(gone, "prod-9", "--directory", "kept");
  const said = `the event log does not name stack prod-9\n  found: ${place}/record.jsonl, which names prod, prod-2\n`;
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
});
