import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { SignersTruth } from "../../../lab/doubles/chain/index.ts";
import { listSeeds } from "../../../lab/explore/rounds.ts";
import { ensureProviderImage } from "../../../lab/images/providerImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { awaitProduction, collectLastRewards, updateProducer } from "../../../lab/operator/wallet.ts";
import { randomOf } from "../../../lab/simulation/seededRandom.ts";
import type { Run } from "../../../lab/stack/engineRun.ts";
import type { LabStack, StackFile } from "../../../lab/stack/stack.ts";
import { cli } from "../cli/fixture.ts";
import { expectSuccess, onHost, testLab } from "../fixture.ts";
import { pillar } from "./stacks.ts";
import { begunJourney, freshFile, oldFile } from "./stage.ts";
import { verdictBeside } from "./verdict.ts";

const victims = ["the engine", "the providers' process", "the old host", "the new host"] as const;

interface Death {
  readonly stage: "stand-up" | "move" | "switch" | "shutdown" | "destroy";
  readonly victim: (typeof victims)[number];
  /** Milliseconds after the run began. */
  readonly after: number;
  /** Unix milliseconds from which on, and until when, its host could not be at work. */
  readonly outage?: { readonly from: number; readonly to: number };
}

interface Blow {
  readonly stage: Death["stage"];
  readonly run: Run;
  readonly random: () => number;
  /** Milliseconds within which it falls. */
  readonly span: number;
  readonly hosts: { readonly old: LabHost; readonly fresh: LabHost };
}

/** Milliseconds that a host has to boot, and its node to connect and to be elected again. */
const recovery = 60_000;

/** Waits for the random moment, kills, and restores the power. Returns when the run has ended. */
async function strike({ stage, run, random, span, hosts }: Blow): Promise<Death> {
  const victim = victims[Math.floor(random() * victims.length)] ?? "the engine";
  const after = Math.round(random() * span);
  const isOver = await Promise.race([sleep(after).then(() => false), run.end().then(() => true)]);
  const death = { stage, victim, after };
  if (victim === "the engine") {
    if (!isOver) await run.kill();
    return death;
  }
  if (victim === "the providers' process") {
    // There may be no process between two resources.
    const found = isOver ? undefined : await run.find("dynamic-provider.cjs").catch(() => undefined);
    if (found) process.kill(found.pid, "SIGKILL");
    await run.end();
    return death;
  }
  const host = victim === "the old host" ? hosts.old : hosts.fresh;
  const from = Date.now();
  await host.stop({ powerCut: true });
  await sleep(2000);
  await host.start();
  const to = Date.now() + recovery;
  await run.end();
  return { ...death, outage: { from, to } };
}

/** Returns the time without production that a death caused. */
function outageOf({ outage }: Death): readonly { readonly from: number; readonly to: number }[] {
  return outage ? [outage] : [];
}

/** Runs that may be needed after a death: a host that boots, a node that syncs, a lock of one that dies later. */
const most = 8;
const quietly = ["--yes", "--skip-preview", "--non-interactive"];

describe("a death at a random moment of each stage of the journey", () => {
  const labs: Lab[] = [];
  const toEnd: LabStack[] = [];
  const made = async () => {
    const lab = await testLab();
    labs.push(lab);
    return lab;
  };
  beforeAll(() => ensureProviderImage("debian-12"));
  afterEach(async () => {
    for (const stack of toEnd.splice(0)) await stack.endRuns();
    for (const lab of labs.splice(0)) await lab.down();
  });

  it.each(listSeeds(5))("seed %i: each stage continues to the same end, and nothing is done twice", async (seed) => {
    const random = randomOf(seed);
    const journey = await begunJourney(await made(), undefined, "debian-12");
    const { lab, old, fresh, stacks } = journey;
    toEnd.push(stacks.old, stacks.fresh);
    const deaths: Death[] = [];
    const configured = async (stack: LabStack, file: StackFile) =>
      stack.configure(file, { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") });
    /** Strikes a run of a stage, and continues as an operator would until it succeeds. */
    const play = async (stage: Death["stage"], stack: LabStack, seconds: number): Promise<void> => {
      const operation = stage === "destroy" ? "destroy" : "up";
      const run = await stack.begin([], operation);
      const death = await strike({ stage, run, random, span: seconds * 1000, hosts: { old, fresh } });
      deaths.push(death);
      const runs = await goneOn(stack, operation);
      console.log(`seed ${seed}: ${stage}: ${death.victim} after ${death.after} ms, gone on with in ${runs} runs`);
      const { doubles } = await lab.chain<SignersTruth>("GET", "/signers");
      expect(doubles).toEqual([]);
    };

    await expectSuccess(stacks.old.up());
    await play("stand-up", stacks.fresh, 40);
    const { producerAddress } = await stacks.fresh.outputs<{ producerAddress: string }>();
    await configured(stacks.fresh, freshFile(journey, "move"));
    await play("move", stacks.fresh, 30);
    await updateProducer(lab, pillar, producerAddress);
    await awaitProduction(lab, producerAddress);
    await play("switch", stacks.fresh, 15);
    const successor = { address: fresh.address, hostKey: fresh.hostKey };
    await configured(stacks.old, oldFile(journey, { lifecycle: "retiring", retirement: { successor } }));
    await play("shutdown", stacks.old, 15);
    await collectLastRewards(lab, pillar);
    await play("destroy", stacks.old, 15);

    const { lines, faults } = await verdictBeside(lab, {
      addresses: { old: journey.addresses.old, fresh: producerAddress },
      outages: deaths.flatMap(outageOf),
    });
    expect(faults, lines.join("\n")).toEqual([]);
    // After a power cut the orchestrator restarts until its node answers.
    await expect
      .poll(() =>
        onHost(fresh, "systemctl is-active go-node orchestrator; crontab -l 2> /dev/null | grep -v ^# || true"),
      )
      .toBe("active\nactive");
    expect(await onHost(old, "systemctl is-active go-node orchestrator || true")).toBe("inactive\ninactive");
    // A host builds once, or twice after a power cut during the build.
    const builds = Number(await onHost(fresh, "ls /var/log/pillar-host/deploy-*.log | wc -l"));
    const wasCut = deaths.some(({ stage, victim }) => stage === "stand-up" && victim === "the new host");
    expect(builds).toBeLessThanOrEqual(wasCut ? 2 : 1);
    expect((await stacks.old.exported()).resources ?? []).toEqual([]);
    const again = await expectSuccess(stacks.fresh.up());
    expect(again).not.toMatch(/ (created|updated|replaced|deleted) \(/);
  });
});

/** Repeats the operation until it succeeds. @returns the number of runs */
async function goneOn(stack: LabStack, operation: "up" | "destroy"): Promise<number> {
  for (let runs = 1; ; runs += 1) {
    const { exitCode, said } = await once(stack, operation);
    if (exitCode === 0) return runs;
    if (runs === most) throw new Error(`after ${most} runs: exit ${exitCode}\n${said}`);
    await sleep(5000);
  }
}

async function once(stack: LabStack, operation: "up" | "destroy"): Promise<{ exitCode: number; said: string }> {
  if (operation === "up") {
    const { exitCode, output } = await cli(stack, ["resume", stack.name, "--", ...quietly]);
    return { exitCode, said: output };
  }
  await stack.cancel();
  const { exitCode, output } = await stack.destroy(["--skip-preview"]);
  return { exitCode, said: output };
}
