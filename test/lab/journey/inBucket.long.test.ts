import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startS3 } from "../../../lab/backends";
import { pillar } from "../../../lab/demo/stacks";
import type { Lab } from "../../../lab/lab";
import type { LabStack, StackFile } from "../../../lab/stack";
import { keepPrinted } from "../../../lab/testRun/printed";
import { ensureToolchain } from "../../../lab/toolchain";
import { updateProducer } from "../../../lab/wallet";
import { onHost, testLab, transcripts } from "../fixture";
import { begunJourney, freshFile, type Journey, oldFile, rewarded } from "./stage";
import { verdictBeside } from "./verdict";

const quietly = ["--yes", "--skip-preview", "--non-interactive"];
/** What is refused meanwhile, as a host that is busy, is asked again. */
const limit = { timeout: 240_000, interval: 3000 };
/** Of the journey, as the report tells them, in this order. */
const milestones = ["host", "synced", "secured", "begun", "done", "producing", "shutDown", "rewards", "released"];

let lab: Lab;
let journey: Journey;
let elsewhere: string;
let home: Record<string, string>;
let producerAddress = "";

beforeAll(async () => {
  lab = await testLab();
  journey = await begunJourney(lab, await startS3(lab));
  elsewhere = join(lab.dir, "elsewhere");
  home = (await ensureToolchain({ home: join(lab.dir, "elsewhere-home"), plugins: ["command"] })).env;
});
afterAll(async () => {
  for (const stack of Object.values(journey?.stacks ?? {})) await stack.endRuns();
  await lab?.down();
});

const data = () => join(elsewhere, "data");

/** A second operator: the repository with the stacks' files, backend, store and pass phrase, and the key of the backups. */
async function second(stack: LabStack, ...typed: readonly string[]) {
  const cwd = join(elsewhere, stack.name);
  await cp(stack.configFile, join(cwd, `Pulumi.${stack.name}.yaml`));
  const [command = "", ...args] = lab.atOperator(typed);
  const env = { ...stack.env, ...home, HOME: join(elsewhere, "home"), XDG_DATA_HOME: data() };
  const ran = await execa(command, args, { cwd, env, all: true, reject: false, stdin: "ignore" });
  keepPrinted(ran.all);
  return { exitCode: ran.exitCode, out: ran.all };
}
const configured = async (stack: LabStack, file: StackFile) => {
  await stack.configure(file, { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") });
};
/** Until an `up` of the second operator ends well. @returns what all said until then */
const goneOn = (stack: LabStack) => {
  const said: string[] = [];
  return vi.waitFor(async () => {
    const { exitCode, out } = await second(stack, "./pillar-host", "resume", stack.name, "--", ...quietly);
    said.push(out);
    expect(exitCode, out).toBe(0);
    return said.join("\n");
  }, limit);
};

it("one operator adopts the old host, stands the new one up, and is killed in the middle of the signer's move", async () => {
  const { old, fresh } = journey.stacks;
  for (const stack of [old, fresh]) {
    const { exitCode, output } = await stack.up();
    expect(exitCode, output).toBe(0);
    await cp(stack.programDirectory, join(elsewhere, stack.name), { recursive: true, verbatimSymlinks: true });
  }
  ({ producerAddress } = await fresh.outputs<{ producerAddress: string }>());
  await configured(fresh, freshFile(journey, "move"));
  const run = await fresh.begin();
  await run.printed("orchestrator: fencing the old side");
  await run.freeze(true);
  await run.clear();
  // That machine is gone, and its disk with it; the key had its copy.
  await cp(join(fresh.env.XDG_DATA_HOME ?? "", "pillar-host/keys"), join(data(), "pillar-host/keys"), {
    recursive: true,
  });
  for (const stack of [old, fresh])
    await rm(join(stack.env.XDG_DATA_HOME ?? "", "pillar-host"), { recursive: true, force: true });
});

it("a second one sees where it stands, goes on to the move's end, and to the switch", async () => {
  const { fresh } = journey.stacks;
  const seen = await second(fresh, "./pillar-host", "status", "prod-2");
  expect(seen.out).toContain("a run is at work, or was killed, in the middle of");
  const out = await goneOn(fresh);
  expect(out).toContain("That run is gone: cleared (pulumi cancel).");
  const runs = async (host: Journey["old"]) => onHost(host, "systemctl is-active orchestrator || true");
  expect([await runs(journey.old), await runs(journey.fresh)]).toEqual(["inactive", "active"]);
  await updateProducer(lab, pillar, producerAddress);
  await configured(fresh, freshFile(journey, "switch"));
  await goneOn(fresh);
});

it("retires the old host, and destroys its stack", async () => {
  const { old } = journey.stacks;
  const successor = { address: journey.fresh.address, hostKey: journey.fresh.hostKey };
  await configured(old, oldFile(journey, { lifecycle: "retiring", retirement: { successor } }));
  await goneOn(old);
  await rewarded(lab);
  await vi.waitFor(async () => {
    const { exitCode, out } = await second(old, "pulumi", "destroy", ...quietly, "-s", "prod");
    expect(exitCode, out).toBe(0);
  }, limit);
  const left = JSON.parse(String((await old.pulumi(["stack", "export"])).stdout));
  expect(left.deployment.resources ?? []).toEqual([]);
});

it("the report has all of it, the chain has no complaint, and the next up nothing to do", async () => {
  const { fresh } = journey.stacks;
  const { exitCode, out } = await second(fresh, "./pillar-host", "report", "prod-2", "--json");
  expect(exitCode, out).toBe(0);
  const report = JSON.parse(out) as { open: unknown[]; overrides: unknown[]; timeline: { event: string }[] };
  expect([report.open, report.overrides]).toEqual([[], []]);
  const told = new Set(report.timeline.map(({ event }) => event).filter((event) => milestones.includes(event)));
  expect([...told]).toEqual(milestones);
  const addresses = { old: journey.addresses.old, fresh: producerAddress };
  const { lines, faults } = await verdictBeside(lab, { addresses, outages: [] });
  expect(faults, lines.join("\n")).toEqual([]);
  expect(await transcripts(journey.fresh)).toHaveLength(1);
  const again = await second(fresh, "pulumi", "up", ...quietly, "-s", "prod-2");
  expect(again.exitCode, again.out).toBe(0);
  expect(again.out).not.toMatch(/\d+ (created|updated|replaced|deleted)/);
});
