import fs from "node:fs";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import { parseHostState } from "../../../../core/orchestrator/hosts/hostPair.ts";
import { adaptConfig } from "../../../../core/orchestrator/rules/adaptConfig.ts";
import type { WrittenJournal } from "../../../../core/orchestrator/rules/journal.ts";
import { stopForGood } from "../../../../core/orchestrator/rules/obstacles.ts";
import { openScriptStage, type ScriptStage, systemctl } from "../scriptStage.ts";

const own = { move: "pillar-host/prod/Anvil/1", direction: "forward" } as const;
const target = { side: "new", ...own } as const;
const source = { side: "old", ...own } as const;
const theirs = { move: "pillar-host/next/Anvil/1", direction: "forward", side: "old" } as const;
const wasStarted = "the orchestrator of this host was started: it is not sealed";
const notInPlace = "the orchestrator's directory is not in place on this host: not started";

const test = base.extend("stage", ({ task: _task }, { onCleanup }) => {
  const stage = openScriptStage();
  onCleanup(() => stage.box.remove());
  return stage;
});

describe("a step on a host", () => {
  test.for<[string, WrittenJournal | undefined, string]>([
    ["signer_fence", { ...source, stage: "stopping" }, "orchestrator is not masked: not fenced"],
    ["signer_start", { ...target, stage: "staged" }, notInPlace],
    ["signer_seal", { ...theirs, side: "new", stage: "running" }, wasStarted],
    ["signer_restore", undefined, "this move did not stop the orchestrator of this host: not started"],
  ])("refuses %s with the journal %j", async ([name, journal, problem], { stage }) => {
    if (journal) stage.write(journal);
    const before = stage.journal();
    const call = name === "signer_restore" ? source : { ...(journal?.side === "old" ? source : target) };
    const { code, stderr } = await stage.step(name, call);
    expect([code, stderr]).toEqual([1, `h: ${problem}\n`]);
    expect(stage.journal()).toEqual(before);
    expect(stage.box.read("asked") ?? "").not.toMatch(/^(stop|start|mask|enable)/m);
    expect(fs.existsSync(join(stage.directory, "producer"))).toBe(true);
  });

  test("renames the key store that config.json names, and renames it back before a start", async ({ stage }) => {
    const { directory } = stage;
    fs.writeFileSync(join(directory, "config.json"), '{\n    "ProducerKeyFileName": "signer.key",\n    "X": 1\n}');
    fs.writeFileSync(join(directory, "signer.key"), "key");
    expect((await stage.step("signer_stop", source)).code).toBe(0);
    const fenced = await stage.step("signer_fence", source);
    expect([fenced.code, fenced.stderr]).toEqual([0, ""]);
    const aside = stage.journal()?.was?.keyStore ?? "";
    expect(aside).toMatch(/\/signer\.key\.moved-to-192\.0\.2\.4-\d{8}T\d{6}Z$/);
    expect([fs.existsSync(aside), fs.existsSync(join(directory, "signer.key"))]).toEqual([true, false]);
    // A store of the usual name is another one.
    expect(fs.existsSync(join(directory, "producer"))).toBe(true);
    expect((await stage.step("signer_restore", source)).code).toBe(0);
    expect([fs.existsSync(aside), fs.readFileSync(join(directory, "signer.key"), "utf8")]).toEqual([false, "key"]);
    fs.rmSync(join(directory, "signer.key"));
    stage.write({ ...target, stage: "switched" });
    expect(await stage.step("signer_start", target)).toMatchObject({
      code: 1,
      stderr: `h: ${directory} is incomplete: not started\n  needed: signer.key and config.json in it\n`,
    });
  });

  test("masks a unit that is a link, and restores the link", async ({ stage }) => {
    const { unit } = stage;
    fs.rmSync(unit);
    fs.symlinkSync("../signer/producer", unit);
    expect((await stage.step("signer_stop", source)).code).toBe(0);
    expect(stage.journal()?.was?.unitFile).toBe(unit);
    expect([fs.readlinkSync(unit), fs.readlinkSync(`${unit}.moved`)]).toEqual(["/dev/null", "../signer/producer"]);
    // A second time: the mask is not taken for the unit.
    expect((await stage.step("signer_stop", source)).code).toBe(0);
    expect((await stage.step("signer_fence", source)).code).toBe(0);
    // A restore needs the link, even if it leads nowhere because its disk is not mounted yet.
    expect((await stage.step("signer_restore", source)).code).toBe(0);
    expect([fs.readlinkSync(unit), fs.existsSync(`${unit}.moved`)]).toEqual(["../signer/producer", false]);
  });

  test("adapts the copy to this host's directory and node", async ({ stage }) => {
    const { directory } = stage;
    fs.mkdirSync(`${directory}.arriving`);
    const text = '{\n    "DataPath": "/home/op/.orchestrator",\n    "Passphrase": "a#b&c\\\\1"\n}';
    fs.writeFileSync(`${directory}.arriving/config.json`, text, { mode: 0o600 });
    stage.write({ ...target, stage: "staging" });
    const config = Buffer.from(adaptConfig(text, directory, []).config).toString("base64");
    const { code, stderr } = await stage.step("signer_arrive", { ...target, config });
    expect([code, stderr]).toEqual([0, ""]);
    const arrived = join(directory, "config.json");
    expect(fs.readFileSync(arrived, "utf8")).toBe(text.replace("/home/op/.orchestrator", directory));
    expect(fs.lstatSync(arrived).mode & 0o777).toBe(0o600);
  });

  test.for(["../../etc/passwd", "a/b", "..", "a\\", "$(id)", "ü"])(
    "refuses a key store with the name %j",
    async (name, { stage }) => {
      fs.writeFileSync(join(stage.directory, "config.json"), `{"ProducerKeyFileName": "${name}"}`);
      const { code, stderr } = await stage.step("signer_stop", source);
      expect(code).toBe(1);
      expect(stderr).toContain("is no plain file name");
      expect(stage.journal()?.stage).toBeUndefined();
    },
  );

  describe("the seal", () => {
    const aside = ({ directory }: ScriptStage) => [fs.existsSync(directory), fs.existsSync(`${directory}.arriving`)];
    const came = (...stages: string[]) => stages.map((stage) => ({ stage, at: "x", ...own }));

    const inPlace = async (stage: ScriptStage) =>
      parseHostState((await stage.step("signer_side", target)).stdout, "h").seen.inPlace;

    test.for(["staged", "switched"])("moves the abandoned copy away after the stage %s", async (before, { stage }) => {
      stage.write({ ...target, stage: "abandoned", history: came("staging", before, "abandoned") });
      expect(await inPlace(stage)).toBe(true);
      expect((await stage.step("signer_seal", target)).code).toBe(0);
      expect(aside(stage)).toEqual([false, true]);
      expect(await inPlace(stage)).toBeUndefined();
      expect(stage.journal()?.history).toHaveLength(3);
    });

    test("leaves earlier files if the move staged nothing, or beside them", async ({ stage }) => {
      stage.write({ ...target, stage: "staging", history: came("staging") });
      for (let times = 0; times < 2; times++) {
        expect((await stage.step("signer_seal", target)).code).toBe(0);
        expect(aside(stage)).toEqual([true, false]);
      }
      fs.mkdirSync(`${stage.directory}.arriving`);
      stage.write({ ...target, stage: "staged", history: came("staging", "staged") });
      expect((await stage.step("signer_seal", target)).code).toBe(0);
      expect(aside(stage)).toEqual([true, true]);
      expect(fs.existsSync(join(stage.directory, "producer"))).toBe(true);
    });

    test("a seal of another saga does not count for this one", async ({ stage }) => {
      const theirs = came("staged", "abandoned").map((entry) => ({ ...entry, move: "pillar-host/next/Anvil/1" }));
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
    const { code, stdout, stderr } = await stage.step("signer_stop", source);
    expect(code, stderr).toBe(0);
    const stopped = { active: false, masked: true, journal: { stage: "stopping" } };
    expect(parseHostState(stdout, "h").seen).toMatchObject(stopped);
    expect(performance.now() - began).toBeGreaterThan(800);
    expect(fs.readFileSync(`${unit}.moved`, "utf8")).toBe("[Service]\n");
  });

  test("finds an orchestrator that systemd does not manage", async ({ stage }) => {
    const isActive = async () => parseHostState((await stage.step("signer_side", target)).stdout, "h").seen.active;
    stage.box.listen(55000);
    expect(await isActive()).toBe(true);
    stage.box.listen(55001);
    expect(await isActive()).toBe(false);
    stage.box.process(77, "orchestrator");
    expect(await isActive()).toBe(true);
    const { code, stderr } = await stage.step("signer_staging", target);
    expect(code).toBe(1);
    expect(stderr).toContain("an orchestrator runs here: nothing is staged beside it");
  });
});

test("refuses a host whose node was shut down for good, before the other host stops", async ({ stage }) => {
  stage.box.mark("retired", "2026-11-23T08:00:00Z\n");
  const back = { ...source, direction: "back" } as const;
  const { code, stderr } = await stage.step("signer_staging", back);
  expect(code).toBe(1);
  const refusal = "the node of this host was shut down for good: no orchestrator moves here";
  expect(stderr).toContain(`h: ${refusal}\n  found: since 2026-11-23T08:00:00Z\n`);
  expect(stage.journal()).toBeUndefined();
});

const steps = ["stop", "fence", "restore", "staging", "arrive", "start", "settle", "seal"] as const;
/** Expects that the host with this journal refuses all these steps, which run in one go, and changes nothing. */
async function expectRefusals(stage: ScriptStage, names: readonly string[], call: object, text: string, why: RegExp) {
  const all = names.map((name) => `(signer_${name}) || echo refused`).join("; ");
  const { stdout, stderr } = await stage.step(`all() { ${all}; }; all`, { stage: "moved", ...call });
  expect(stdout, JSON.stringify(call)).toBe("refused\n".repeat(names.length));
  expect(stderr.match(why)).toHaveLength(names.length);
  expect(fs.readFileSync(join(stage.box.state, "orchestrator.json"), "utf8")).toBe(text);
  expect(stage.box.read("asked") ?? "").not.toMatch(/^(stop|start|mask|enable)/m);
  expect(fs.lstatSync(stage.unit).isFile()).toBe(true);
}

describe("a step on a host of another stack's move", () => {
  const been = [{ stage: "running", at: "x", ...own }];
  const elsewhere = /took its orchestrator elsewhere: pillar-host\/next\/Anvil\/1/g;

  test.for(["stopping", "fenced", "restoring", "moved"] as const)(
    "does nothing where its stage is %s",
    async (at, { stage }) => {
      const text = stage.write({ ...theirs, stage: at, history: been });
      for (const host of [source, target]) await expectRefusals(stage, steps, host, text, elsewhere);
    },
  );

  test("takes no orchestrator from a host with an abandoned copy", async ({ stage }) => {
    const text = stage.write({ ...theirs, direction: "back", stage: "abandoned" });
    await expectRefusals(stage, steps, source, text, elsewhere);
  });

  test.for(["moved", "restored", "abandoned"] as const)(
    "brings no old copy over an orchestrator that came here before, where its stage is %s",
    async (at, { stage }) => {
      const text = stage.write({ ...theirs, stage: at, history: been });
      await expectRefusals(stage, ["staging", "arrive", "start", "seal"], target, text, elsewhere);
    },
  );

  test("begins a new move once the other one has ended", async ({ stage }) => {
    stage.write({ ...theirs, side: "new", stage: "running" });
    expect((await stage.step("signer_stop", source)).code).toBe(0);
    expect(stage.journal()).toMatchObject({ ...source, stage: "stopping" });
    // A host that another orchestrator left: a new one may come.
    const other = [{ stage: "running", at: "x", move: "pillar-host/first/Anvil/1" }];
    stage.write({ ...theirs, stage: "moved", history: other });
    expect((await stage.step("signer_staging", target)).code).toBe(0);
    expect(stage.journal()).toMatchObject({ ...target, stage: "staging", history: [...other, expect.anything()] });
  });
});

describe("a step of an earlier attempt", () => {
  const copies = ["copy", "copy_allow", "copy_local", "copy_retake"] as const;

  test.for<[string, Record<string, string>]>([
    ["an earlier generation", { generation: "1" }],
    ["the same number between other hosts", { target_key: "SHA256:third" }],
    ["the same number in the other direction", { direction: "back" }],
    ["the same number under another name", { move: "pillar-host/prod/Anvil/2" }],
  ])("%s starts, stops and copies nothing", async ([, told], { stage }) => {
    const text = stage.write({ ...target, stage: "switched" });
    const call = { ...target, stage: "running", ...told };
    await expectRefusals(stage, [...steps, ...copies], call, text, /the journal of this host has a later move/g);
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
