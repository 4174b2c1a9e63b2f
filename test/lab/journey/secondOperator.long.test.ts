import { cp, mkdir, readFile, rm, symlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Lab } from "../../../lab/lab.ts";
import { awaitProduction, collectLastRewards, updateProducer } from "../../../lab/operator/wallet.ts";
import { startS3 } from "../../../lab/stack/backends.ts";
import type { LabStack, StackFile } from "../../../lab/stack/stack.ts";
import { keepPrinted } from "../../../lab/testRun/printed.ts";
import { ensureToolchain } from "../../../lab/toolchain/index.ts";
import { expectSuccess, onHost, testLab, transcripts } from "../fixture.ts";
import { codeBlocks } from "../readme.ts";
import { pillar } from "./stacks.ts";
import { begunJourney, freshFile, type Journey, oldFile } from "./stage.ts";
import { verdictBeside } from "./verdict.ts";

const quietly = ["--yes", "--skip-preview", "--non-interactive"];
/** A busy host may refuse a request, which is then repeated. */
const limit = { timeout: 240_000, interval: 3000 };
/** Events of the journey in the order of the report. */
const milestones = ["host", "synced", "secured", "begun", "done", "producing", "shutDown", "rewards", "released"];

const blocks = codeBlocks(await readFile(join(import.meta.dirname, "../../../docs/unattended.md"), "utf8"));
/** The login is left out: here a variable names the backend. */
const toAnother = (blocks.find(({ text }) => text.includes("pulumi stack export"))?.text ?? "")
  .split(/(?: &&)?\n/)
  .filter((line) => line !== "" && !line.startsWith("pulumi login"));

describe("a move that a second operator completes, with state and records in a bucket of S3", () => {
  let lab: Lab;
  let journey: Journey;
  let elsewhere: string;
  let home: Record<string, string>;
  let producerAddress = "";

  beforeAll(async () => {
    lab = await testLab();
    journey = await begunJourney(lab, await startS3(lab), "debian-13");
    const { old, fresh } = journey.stacks;
    // Both stacks belong to one operator on one machine.
    await mkdir(firsts());
    for (const { dir } of [old, fresh]) await symlink(firsts(), join(dir, "data"));
    elsewhere = join(lab.dir, "elsewhere");
    home = (await ensureToolchain({ home: join(lab.dir, "elsewhere-home"), plugins: ["command"] })).env;
  });
  afterAll(async () => {
    for (const stack of Object.values(journey?.stacks ?? {})) await stack.endRuns();
    await lab?.down();
  });

  /** Returns the data directory of the first operator's machine. */
  const firsts = () => join(lab.dir, "firsts");
  const theirs = () => join(elsewhere, "home/.local/share");

  /**
   * Runs a command as a second operator: with the stacks' files, backend, store and pass phrase, on another machine.
   */
  const second = async (stack: LabStack, typed: readonly string[], changes: Readonly<Record<string, string>> = {}) => {
    const cwd = join(elsewhere, stack.name);
    await cp(stack.configFile, join(cwd, `Pulumi.${stack.name}.yaml`));
    const env = { ...stack.warmEnv, ...home, HOME: join(elsewhere, "home"), XDG_DATA_HOME: "", ...changes };
    const ran = await lab.run(typed, { cwd, env, all: true, reject: false, stdin: "ignore" });
    keepPrinted(ran.all);
    return { exitCode: ran.exitCode, output: ran.all };
  };
  const resume = (stack: LabStack) => second(stack, ["./pillar-host", "resume", stack.name, "--", ...quietly]);
  const configured = async (stack: LabStack, file: StackFile) => {
    await stack.configure(file, { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") });
  };
  /** Repeats `up` of the second operator until it succeeds. @returns the output of all runs */
  const goneOn = (stack: LabStack) => {
    const said: string[] = [];
    return vi.waitFor(async () => {
      const output = await expectSuccess(resume(stack));
      said.push(output);
      return said.join("\n");
    }, limit);
  };

  it("one operator stands the new host up, and begins the orchestrator's move", async () => {
    const { old, fresh } = journey.stacks;
    for (const stack of [old, fresh]) {
      await expectSuccess(stack.up());
      await cp(stack.programDirectory, join(elsewhere, stack.name), { recursive: true, verbatimSymlinks: true });
    }
    ({ producerAddress } = await fresh.outputs<{ producerAddress: string }>());
    await configured(fresh, freshFile(journey, "move"));
  });

  it("a second operator sees who holds the lock; the first operator's machine is lost in the move", async () => {
    const { fresh } = journey.stacks;
    const run = await fresh.begin();
    await run.printed("orchestrator: fencing the old host");
    await run.freeze(true);
    const refused = await resume(fresh);
    expect(refused.exitCode, refused.output).toBe(2);
    expect(refused.output).toContain(
      `prod-2 is locked by a run that is still running: process ${run.pid} of root on ${hostname()}, since `,
    );
    const told = await second(fresh, ["./pillar-host", "status", "prod-2"]);
    // A run that has not renewed its lease for 30 s counts as cut off.
    expect(told.output).toMatch(
      /^next +\.\/pillar-host resume prod-2( continues the last run, unless it is still active)?$/m,
    );
    await run.clear();
    // The key had its copy.
    await cp(join(firsts(), "pillar-host/keys"), join(theirs(), "pillar-host/keys"), { recursive: true });
    await rm(firsts(), { recursive: true });
  });

  it("the second operator completes the move", async () => {
    const { fresh } = journey.stacks;
    const seen = await second(fresh, ["./pillar-host", "status", "prod-2"]);
    expect(seen.output).toContain("this backend does not show whether a run is active");
    const output = await goneOn(fresh);
    expect(output).toContain(", which has ended");
    expect(output).toContain("cleared: the interrupted creation of orchestrator-move");
    const runs = async (host: Journey["old"]) => onHost(host, "systemctl is-active orchestrator || true");
    expect([await runs(journey.old), await runs(journey.fresh)]).toEqual(["inactive", "active"]);
  });

  it("the second operator switches to the new host", async () => {
    await updateProducer(lab, pillar, producerAddress);
    await awaitProduction(lab, producerAddress);
    await goneOn(journey.stacks.fresh);
  });

  it("the second operator retires the old host, and destroys its stack", async () => {
    const { old } = journey.stacks;
    const successor = { address: journey.fresh.address, hostKey: journey.fresh.hostKey };
    await configured(old, oldFile(journey, { lifecycle: "retiring", retirement: { successor } }));
    await goneOn(old);
    await collectLastRewards(lab, pillar);
    await vi.waitFor(async () => {
      await expectSuccess(second(old, ["pulumi", "destroy", ...quietly, "-s", "prod"]));
    }, limit);
    expect((await old.exported()).resources ?? []).toEqual([]);
  });

  it("the report is complete, the chain has no complaint, and the node was deployed once", async () => {
    const { fresh } = journey.stacks;
    const output = await expectSuccess(second(fresh, ["./pillar-host", "report", "prod-2", "--json"]));
    const report = JSON.parse(output) as { timeline: { event: string }[] };
    expect(report.timeline.filter(({ event }) => event === "override")).toEqual([]);
    const told = new Set(report.timeline.map(({ event }) => event).filter((event) => milestones.includes(event)));
    expect([...told]).toEqual(milestones);
    const addresses = { old: journey.addresses.old, fresh: producerAddress };
    const { lines, faults } = await verdictBeside(lab, { addresses, outages: [] });
    expect(faults, lines.join("\n")).toEqual([]);
    expect(await transcripts(journey.fresh)).toHaveLength(1);
  });

  it("the next up changes nothing, here and in a backend to which the documented commands moved the state", async () => {
    const { fresh } = journey.stacks;
    const unchanged = async (env: Readonly<Record<string, string>> = {}) => {
      const output = await expectSuccess(second(fresh, ["pulumi", "up", ...quietly, "-s", "prod-2"], env));
      expect(output).toMatch(/\d+ unchanged/);
      expect(output).not.toMatch(/\d+ (created|updated|replaced|deleted)/);
    };
    await unchanged();
    const another = { PULUMI_BACKEND_URL: `file://${join(lab.dir, "another")}` };
    await mkdir(join(lab.dir, "another"));
    expect(toAnother).toHaveLength(4);
    for (const line of toAnother) {
      const isBefore = line.startsWith("pulumi stack export");
      await expectSuccess(second(fresh, ["bash", "-c", line], isBefore ? {} : another));
    }
    await unchanged(another);
  });
});
