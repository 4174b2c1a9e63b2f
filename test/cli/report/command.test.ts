import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { least } from "../../components/exampleConfig";
import { textOf, wholeWay } from "./exampleLog";

const bin = join(import.meta.dirname, "../../../cli/bin.js");
const whole = textOf(wholeWay);
const gone = "echo \"error: no stack named 'prod-2' found\" >&2; exit 255";

let program = "";
beforeEach(() => {
  program = mkdtempSync(join(tmpdir(), "report-"));
});
afterEach(() => rmSync(program, { recursive: true }));

/** Runs the tool in the program's directory, with this script as pulumi. */
async function run(script: string, ...args: string[]) {
  const path = join(program, ".bin");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "pulumi"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(path, "pulumi"), 0o700);
  const { exitCode, stdout, stderr } = await execa(process.execPath, [bin, "report", ...args], {
    cwd: program,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    env: { PATH: `${path}:/usr/bin:/bin`, XDG_DATA_HOME: join(program, "data") },
  });
  return { exitCode, stdout, stderr };
}

function writeLog(directory: string, text = whole): string {
  const place = join(program, directory);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "record.jsonl"), text);
  return place;
}

/** Returns the script of a pulumi whose stack has this configuration. */
function pulumiWith(config: Record<string, unknown>): string {
  const keys = Object.entries(config).map(([key, value]) => [
    `pillar-host:${key}`,
    { value: JSON.stringify(value), objectValue: value, secret: true },
  ]);
  return `cat <<'END'\n${JSON.stringify(Object.fromEntries(keys))}\nEND`;
}

describe("a stack whose state and configuration are gone", () => {
  test("is reported from the user's event log, and nothing is written", async () => {
    const place = writeLog("data/pillar-host/records/Anvil");
    mkdirSync(join(program, "data/pillar-host/records/Smith"));
    const { exitCode, stdout, stderr } = await run(gone, "prod-2");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr:
        "(searching all event logs of this machine, because the stack's configuration can't be read: there is no stack prod-2 here)",
    });
    expect(stdout.split("\n")[0]).toBe("Pillar Anvil, stack prod-2, with prod");
    expect(stdout.split("\n").slice(-1)).toEqual([`Event log:  ${place}`]);
    expect(readdirSync(place)).toEqual(["record.jsonl"]);
    expect(readFileSync(join(place, "record.jsonl"), "utf8")).toBe(whole);
  });

  test("is refused if two event logs name it", async () => {
    const places = [writeLog("data/pillar-host/records/Anvil"), writeLog("data/pillar-host/records/Smith")];
    const { exitCode, stderr } = await run(gone, "prod-2");
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      `more than one event log names stack prod-2\n  found: ${places[0]}\n  found: ${places[1]}\n  needed: choose one of them: ./pillar-host report prod-2 --directory DIR`,
    );
  });
});

describe("the place of the event log", () => {
  test("is the configured one, before all others", async () => {
    const place = writeLog("elsewhere");
    writeLog("data/pillar-host/records/Anvil", textOf(wholeWay.slice(1, 2)));
    const script = pulumiWith({ ...least, orchestrator: { backup: { directory: "elsewhere" } } });
    const { stdout, stderr } = await run(script, "prod-2");
    expect(stderr).toBe("");
    expect(stdout).toContain(`Event log:  ${place}`);
  });

  test("is the user's data directory by default, and the report names the key", async () => {
    const place = writeLog("data/pillar-host/records/Anvil");
    mkdirSync(join(program, "data/pillar-host/keys"));
    writeFileSync(join(program, "data/pillar-host/keys/Anvil.age-identity"), "AGE-SECRET-KEY-1NONE\n");
    for (const script of [pulumiWith(least), gone]) {
      const { exitCode, stdout } = await run(script, "prod-2");
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Event log:  ${place}\nKey:        `)]);
    }
  });

  test("is the one of --directory without a run of pulumi", async () => {
    const place = writeLog("kept");
    const { exitCode, stdout } = await run("touch asked; exit 1", "prod-2", "--directory", "kept");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Event log:  ${place}`);
    expect(existsSync(join(program, "asked"))).toBe(false);
    expect(readdirSync(place)).toEqual(["record.jsonl"]);
  });

  test("is searched for, and the refusal names the event logs that exist", async () => {
    writeLog("data/pillar-host/records/Anvil");
    const { exitCode, stdout, stderr } = await run(gone, "prod-9");
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("no event log names stack prod-9\n");
    expect(stderr).toContain(
      `  found: ${program}/data/pillar-host/records/Anvil/record.jsonl, of prod, prod-2\n  needed: run this as the user`,
    );
    expect(readdirSync(join(program, "data/pillar-host/records/Anvil"))).toEqual(["record.jsonl"]);
  });
});

test("--json prints only the report", async () => {
  const place = writeLog("data/pillar-host/records/Anvil");
  const { exitCode, stdout } = await run(gone, "ada/pillar-host/prod-2", "--json");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ stack: "prod-2", pillar: "Anvil", stacks: ["prod-2", "prod"] });
  expect(readdirSync(place)).toEqual(["record.jsonl"]);
});
