import fs from "node:fs";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import { parseHostState } from "../../../../core/orchestrator/hosts/hostPair.ts";
import { adaptConfig } from "../../../../core/orchestrator/rules/adaptConfig.ts";
import type { Journal } from "../../../../core/orchestrator/rules/journal.ts";
import type { Stage } from "../../../../core/orchestrator/rules/journalStages.ts";
import { stopForGood } from "../../../../core/orchestrator/rules/obstacles.ts";
import { moveNamed } from "../../../moveNamed.ts";
import { openScriptStage, type ScriptStage, type StageCall, systemctl } from "../scriptStage.ts";

const own = { move: "pillar-host/prod/Anvil/1", direction: "forward" } as const;
const target = { side: "new", ...own } as const;
const source = { side: "old", ...own } as const;
const theirs = { move: "pillar-host/next/Anvil/1", direction: "forward", side: "old" } as const;
const notDue = (side: string) =>
  `by the journal of the ${side} host this step of the move is not due: nothing was done there`;

const test = base.extend("stage", ({ task: _task }, { onCleanup }) => {
  const stage = openScriptStage();
  onCleanup(() => stage.box.remove());
  return stage;
});

describe("a step on a host", () => {
  test.for<[string, Stage | undefined, string, object?]>([
    ["orchestrator_fence", "stopping", "h: orchestrator is not masked: not fenced"],
    ["orchestrator_fence", "restored", notDue("old")],
    ["orchestrator_start", "staged", notDue("new")],
    ["orchestrator_arrive", "abandoned", notDue("new")],
    ["orchestrator_seal", "running", notDue("new")],
    ["orchestrator_seal", "starting", notDue("new"), theirs],
    ["orchestrator_staging", "running", notDue("new"), theirs],
    ["orchestrator_restore", undefined, notDue("old")],
    ["orchestrator_restore", "moved", notDue("old")],
  ])("refuses %s with the stage %s", async ([name, at, problem, whose], { stage }) => {
    const call = /fence|restore/.test(name) ? source : target;
    if (at) stage.write({ ...call, ...whose, side: call.side, stage: at });
    const before = stage.text();
    const { code, stderr } = await stage.step(name, call);
    expect([code, stderr.split("\n")[0]]).toEqual([1, problem]);
    expect(stage.text()).toBe(before);
    expect(stage.box.read("asked") ?? "").not.toMatch(/^(stop|start|mask|enable)/m);
    expect(fs.existsSync(join(stage.directory, "producer"))).toBe(true);
  });

  test("renames the key store that config.json names, and renames it back before a start", async ({ stage }) => {
    const { directory } = stage;
    fs.writeFileSync(join(directory, "config.json"), '{\n    "ProducerKeyFileName": "signer.key",\n    "X": 1\n}');
    fs.writeFileSync(join(directory, "signer.key"), "key");
    expect((await stage.step("orchestrator_store", source)).stdout).toBe("signer.key\n");
    expect((await stage.step("orchestrator_stop", { ...source, store: "signer.key" })).code).toBe(0);
    const fenced = await stage.step("orchestrator_fence", source);
    expect([fenced.code, fenced.stderr]).toEqual([0, ""]);
    const aside = join(directory, "signer.key.moved-to-192.0.2.4-19700101T000000Z");
    expect([fs.existsSync(aside), fs.existsSync(join(directory, "signer.key"))]).toEqual([true, false]);
    // A store of the usual name is another one.
    expect(fs.existsSync(join(directory, "producer"))).toBe(true);
    expect((await stage.step("orchestrator_restore", source)).code).toBe(0);
    expect([fs.existsSync(aside), fs.readFileSync(join(directory, "signer.key"), "utf8")]).toEqual([false, "key"]);
    fs.rmSync(join(directory, "signer.key"));
    stage.write({ ...target, stage: "switched" });
    expect(await stage.step("orchestrator_start", target)).toMatchObject({
      code: 1,
      stderr: `h: ${directory} is incomplete: not started\n  needed: signer.key and config.json in it\n`,
    });
  });

  test("masks a unit that is a link, and restores the link", async ({ stage }) => {
    const { unit } = stage;
    fs.rmSync(unit);
    fs.symlinkSync("../signer/producer", unit);
    expect((await stage.step("orchestrator_stop", source)).code).toBe(0);
    expect([fs.readlinkSync(unit), fs.readlinkSync(`${unit}.moved`)]).toEqual(["/dev/null", "../signer/producer"]);
    // A second time: the mask is not taken for the unit.
    expect((await stage.step("orchestrator_stop", source)).code).toBe(0);
    expect((await stage.step("orchestrator_fence", source)).code).toBe(0);
    // A restore needs the link, even if it leads nowhere because its disk is not mounted yet.
    expect((await stage.step("orchestrator_restore", source)).code).toBe(0);
    expect([fs.readlinkSync(unit), fs.existsSync(`${unit}.moved`)]).toEqual(["../signer/producer", false]);
  });

  test("adapts the copy to this host's directory and node", async ({ stage }) => {
    const { directory } = stage;
    fs.mkdirSync(`${directory}.arriving`);
    const text = '{\n    "DataPath": "/home/op/.orchestrator",\n    "Passphrase": "a#b&c\\\\1"\n}';
    fs.writeFileSync(`${directory}.arriving/config.json`, text, { mode: 0o600 });
    stage.write({ ...target, stage: "staging" });
    const { config } = adaptConfig(text, directory, []);
    const { code, stderr } = await stage.step("orchestrator_arrive", { ...target, config });
    expect([code, stderr]).toEqual([0, ""]);
    const arrived = join(directory, "config.json");
    expect(fs.readFileSync(arrived, "utf8")).toBe(text.replace("/home/op/.orchestrator", directory));
    expect(fs.lstatSync(arrived).mode & 0o777).toBe(0o600);
  });

  test.for(["../../etc/passwd", "a/b", "..", "a\\", "$(id)", "ü"])(
    "refuses a key store with the name %j",
    async (name, { stage }) => {
      fs.writeFileSync(join(stage.directory, "config.json"), `{"ProducerKeyFileName": "${name}"}`);
      const { code, stderr } = await stage.step("orchestrator_store", source);
      expect(code).toBe(1);
      expect(stderr).toContain("is no plain file name");
    },
  );

  describe("the seal", () => {
    const aside = ({ directory }: ScriptStage) => [fs.existsSync(directory), fs.existsSync(`${directory}.arriving`)];
    const came = (...stages: string[]) =>
      stages.map((stage) => ({ stage, at: "x", ...own, move: moveNamed(own.move) }));

    const inPlace = async (stage: ScriptStage) =>
      parseHostState((await stage.step("orchestrator_side", target)).stdout, "h").seen.inPlace;

    test.for(["staged", "switched"])("moves the abandoned copy away after the stage %s", async (before, { stage }) => {
      stage.write({ ...target, stage: "abandoned", history: came("staging", before, "abandoned") });
      expect(await inPlace(stage)).toBe(true);
      expect((await stage.step("orchestrator_seal", target)).code).toBe(0);
      expect(aside(stage)).toEqual([false, true]);
      expect(await inPlace(stage)).toBeUndefined();
      expect(stage.journal()?.history).toHaveLength(3);
    });

    test("leaves earlier files if the move staged nothing, or beside them", async ({ stage }) => {
      stage.write({ ...target, stage: "staging", history: came("staging") });
      for (let times = 0; times < 2; times++) {
        expect((await stage.step("orchestrator_seal", target)).code).toBe(0);
        expect(aside(stage)).toEqual([true, false]);
      }
      fs.mkdirSync(`${stage.directory}.arriving`);
      stage.write({ ...target, stage: "staged", history: came("staging", "staged") });
      expect((await stage.step("orchestrator_seal", target)).code).toBe(0);
      expect(aside(stage)).toEqual([true, true]);
      expect(fs.existsSync(join(stage.directory, "producer"))).toBe(true);
    });

    test("a seal of another saga does not count for this one", async ({ stage }) => {
      const theirs = came("staged", "abandoned").map((entry) => ({
        ...entry,
        move: moveNamed("pillar-host/next/Anvil/1"),
      }));
      stage.write({ ...target, stage: "abandoned", history: theirs });
      expect(await inPlace(stage)).toBeUndefined();
    });
  });

  test("a stop ends once the process is gone and its lock is free", async ({ stage }) => {
    const { box, directory, unit } = stage;
    box.write("active", "");
    box.process(77, "orchestrator");
    // It takes its time after systemd has let go of it.
    box.command(
      "systemctl",
      `${systemctl}\n[ "$1" != stop ] || { (exec flock "$sandbox/signer/.lock" bash -c 'sleep 0.4; rm -r "$sandbox/proc/77"; sleep 0.4') > /dev/null 2>&1 & }`,
    );
    fs.writeFileSync(join(directory, ".lock"), "");
    const began = performance.now();
    const { code, stdout, stderr } = await stage.step("orchestrator_stop", source);
    expect(code, stderr).toBe(0);
    const stopped = { active: false, masked: true, journal: { stage: "stopping" } };
    expect(parseHostState(stdout, "h").seen).toMatchObject(stopped);
    expect(performance.now() - began).toBeGreaterThan(800);
    expect(fs.readFileSync(`${unit}.moved`, "utf8")).toBe("[Service]\n");
  });

  test("finds an orchestrator that systemd does not manage", async ({ stage }) => {
    const isActive = async () =>
      parseHostState((await stage.step("orchestrator_side", target)).stdout, "h").seen.active;
    stage.box.listen(55000);
    expect(await isActive()).toBe(true);
    stage.box.listen(55001);
    expect(await isActive()).toBe(false);
    stage.box.process(77, "orchestrator");
    expect(await isActive()).toBe(true);
    const { code, stderr } = await stage.step("orchestrator_staging", target);
    expect(code).toBe(1);
    expect(stderr).toContain("an orchestrator runs here: nothing is staged beside it");
  });
});

test("refuses a host whose node was shut down for good, before the other host stops", async ({ stage }) => {
  stage.box.mark("retired", "2026-11-23T08:00:00Z\n");
  const back = { ...source, direction: "back" } as const;
  const { code, stderr } = await stage.step("orchestrator_staging", back);
  expect(code).toBe(1);
  const refusal = "the node of this host was shut down for good: no orchestrator moves here";
  expect(stderr).toContain(`h: ${refusal}\n  found: since 2026-11-23T08:00:00Z\n`);
  expect(stage.journal()).toBeUndefined();
});

describe("a step by another journal than the host has", () => {
  const stages: readonly (readonly [string, Stage, object])[] = [
    ["stop", "moved", source],
    ["fence", "stopping", source],
    ["restore", "fenced", source],
    ["settle", "restoring", source],
    ["staging", "abandoned", target],
    ["arrive", "staging", target],
    ["start", "switched", target],
    ["settle", "starting", target],
    ["seal", "staged", target],
    ...["copy", "copy_allow", "copy_local", "copy_retake", "receive", "unpack", "copy_key_waits"].map(
      (name) => [name, "staging", target] as const,
    ),
  ];

  test.for<Partial<Omit<Journal, "move">> & { readonly move?: string }>([
    { generation: 3 },
    { target: "SHA256:third" },
    { move: "pillar-host/next/Anvil/1" },
    { at: "a second later" },
  ])("changes nothing: %j", async (difference, { stage }) => {
    for (const [name, at, call] of stages) {
      const settled = name === "settle" ? (at === "starting" ? "running" : "restored") : undefined;
      const read = stage.write({ ...call, stage: at });
      const text = stage.write({ ...call, stage: at, ...difference });
      const { code, stderr } = await stage.step(`orchestrator_${name}`, { ...call, read, ...(settled && { settled }) });
      expect([name, code, stderr]).toEqual([
        name,
        76,
        "h: its journal is not the one that this run has read: nothing was done\n",
      ]);
      expect(stage.text()).toBe(text);
    }
    expect(stage.box.read("asked") ?? "").not.toMatch(/^(stop|start|mask|enable)/m);
    expect(fs.lstatSync(stage.unit).isFile()).toBe(true);
  });

  test("changes nothing where no journal was, or where it is gone", async ({ stage }) => {
    const text = stage.write({ ...source, stage: "moved" });
    const call: StageCall = { ...source, read: "" };
    expect((await stage.step("orchestrator_stop", call)).code).toBe(76);
    expect(stage.text()).toBe(text);
    fs.rmSync(join(stage.box.state, "orchestrator.json"));
    expect((await stage.step("orchestrator_stop", { ...source, read: text })).code).toBe(76);
    expect(stage.text()).toBe("");
  });
});

describe("the commands that an error prints for a host", () => {
  const byHand = ({ box }: ScriptStage, service: string) =>
    box.run(stopForGood(service).replaceAll("/etc/systemd/system", join(box.dir, "units")), ["-s"]);

  test("stop and mask a unit whose file is in the mask's place, and keep its link", async ({ stage }) => {
    const linked = join(stage.box.dir, "units", "linked.service");
    fs.symlinkSync(stage.unit, linked);
    expect((await byHand(stage, "linked")).stdout).toBe("inactive\n");
    expect([fs.readlinkSync(linked), fs.readlinkSync(`${linked}.moved`)]).toEqual(["/dev/null", stage.unit]);
    stage.box.write("active", "");
    const { stdout, stderr } = await byHand(stage, "orchestrator");
    expect([stdout, stderr]).toEqual(["inactive\n", ""]);
    expect(fs.readlinkSync(stage.unit)).toBe("/dev/null");
    expect(fs.readFileSync(`${stage.unit}.moved`, "utf8")).toBe("[Service]\n");
    // A second run loses nothing.
    expect((await byHand(stage, "orchestrator")).stdout).toBe("inactive\n");
    expect(fs.readFileSync(`${stage.unit}.moved`, "utf8")).toBe("[Service]\n");
  });

  test("do not print inactive for a missing or unmasked unit", async ({ stage }) => {
    expect(await byHand(stage, "signer")).toMatchObject({ stdout: "", stderr: expect.stringContaining("not loaded") });
    stage.box.command("ln", "exit 1");
    expect((await byHand(stage, "orchestrator")).stdout).toBe("");
  });
});
