import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { deathsVariable, firstSeedVariable } from "../../../lab/deaths/variables";
import { pillar } from "../../../lab/demo/stacks";
import type { ChainTruth, SignersTruth } from "../../../lab/doubles/chain";
import type { Lab, LabHost } from "../../../lab/lab";
import { setUpOrchestrator } from "../../../lab/orchestrator";
import { ensurePackagedImage } from "../../../lab/packagedImage";
import { randomOf } from "../../../lab/simulation/model";
import { LabStack, type StackFile } from "../../../lab/stack";
import { setUpSyncedNode } from "../../../lab/syncedNode";
import { collectRewards, updateProducer } from "../../../lab/wallet";
import { cli } from "../cli/fixture";
import { onHost, stackFile, testLab } from "../fixture";
import { type Death, outageOf, strike } from "./death";
import { verdictBeside } from "./verdict";

const rounds = Number(process.env[deathsVariable] ?? 1);
const firstSeed = Number(process.env[firstSeedVariable] ?? 5);
/** A momentum a second, so that a slot is not missed for a busy machine; ticks and epochs that a test can wait for. */
const quick = { momentumSeconds: 1, tickMomentums: 5, epochSeconds: 20, rewardDelaySeconds: 1 };
const network = { epoch: "20s", momentum: "1s", tickMomentums: 5 };
/** Runs that may be needed after a death: a host that boots, a node that syncs, a lock of one that dies later. */
const most = 8;
const quietly = ["--yes", "--skip-preview", "--non-interactive"];

/** The whole journey, with a death in each of its stages; in the order in which they are played. */
interface Journey {
  readonly lab: Lab;
  readonly old: LabHost;
  readonly fresh: LabHost;
  readonly stacks: { readonly old: LabStack; readonly fresh: LabStack };
  readonly addresses: { readonly old: string };
}

describe("something dies at a random moment of each stage of the journey", () => {
  const labs: Lab[] = [];
  const stacks: LabStack[] = [];
  afterEach(async () => {
    for (const stack of stacks.splice(0)) await stack.endRuns();
    for (const lab of labs.splice(0)) await lab.down();
  });

  async function begin(): Promise<Journey> {
    const lab = await testLab();
    labs.push(lab);
    await lab.chain("PATCH", "/truth", {
      ...quick,
      defaults: { behind: 400, rate: 80, startRefusedMs: 0, connectMs: 0 },
    });
    const [old, fresh] = [
      await lab.addHost("old", ensurePackagedImage),
      await lab.addHost("fresh", ensurePackagedImage),
    ];
    for (const host of [old, fresh]) {
      await lab.chain("PATCH", `/orchestrators/${host.name}`, { syncPollMs: 500, stopMs: 300 });
      await onHost(host, "echo 127.0.0.2 bnb-node.example eth-node.example >> /etc/hosts");
    }
    await lab.chain("PATCH", `/nodes/${fresh.name}`, { buildSeconds: 3, buildLines: 30 });
    const { address } = await setUpSyncedNode(lab, old);
    await setUpOrchestrator(lab, old);
    await lab.chain("PATCH", `/pillars/${pillar}`, { producerAddress: address });
    const privateKey = await readFile(lab.privateKeyFile, "utf8");
    const secrets = { "ssh.privateKey": privateKey };
    const made = {
      old: await LabStack.create(lab, "prod", oldFile({ lab, old, fresh }, {}), secrets),
      fresh: await LabStack.create(lab, "prod-2", freshFile({ lab, old, fresh }, "stand-up"), secrets),
    };
    stacks.push(made.old, made.fresh);
    return { lab, old, fresh, stacks: made, addresses: { old: address } };
  }

  it.each(Array.from({ length: rounds }, (_, round) => firstSeed + round))(
    "seed %i: each is gone on with to the same end, and nothing is done twice",
    async (seed) => {
      const random = randomOf(seed);
      const journey = await begin();
      const { lab, old, fresh, stacks } = journey;
      const deaths: Death[] = [];
      const configured = async (stack: LabStack, file: StackFile) =>
        stack.configure(file, { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") });
      /** Strikes a run of a stage, and goes on as an operator would, until it ends well. */
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

      const adopted = await stacks.old.up();
      expect(adopted.exitCode, adopted.output).toBe(0);
      await play("stand-up", stacks.fresh, 40);
      const { producerAddress } = await stacks.fresh.outputs<{ producerAddress: string }>();
      await configured(stacks.fresh, freshFile(journey, "move"));
      await play("move", stacks.fresh, 30);
      await updateProducer(lab, pillar, producerAddress);
      await configured(stacks.fresh, freshFile(journey, "switch"));
      await play("switch", stacks.fresh, 15);
      const successor = { address: fresh.address, hostKey: fresh.hostKey };
      await configured(stacks.old, oldFile(journey, { lifecycle: "retiring", retirement: { successor } }));
      await play("shutdown", stacks.old, 15);
      await rewarded(lab);
      await play("destroy", stacks.old, 15);

      const { lines, faults } = await verdictBeside(lab, {
        addresses: { old: journey.addresses.old, fresh: producerAddress },
        outages: deaths.flatMap(outageOf),
      });
      expect(faults, lines.join("\n")).toEqual([]);
      expect(
        await onHost(fresh, "systemctl is-active go-node orchestrator; crontab -l 2> /dev/null | grep -v ^# || true"),
      ).toBe("active\nactive");
      expect(await onHost(old, "systemctl is-active go-node orchestrator || true")).toBe("inactive\ninactive");
      // One build, but where the power of its host was cut meanwhile.
      const builds = Number(await onHost(fresh, "ls /var/log/pillar-host/deploy-*.log | wc -l"));
      const wasCut = deaths.some(({ stage, victim }) => stage === "stand-up" && victim === "the new host");
      expect(builds).toBeLessThanOrEqual(wasCut ? 2 : 1);
      const left = JSON.parse(String((await stacks.old.pulumi(["stack", "export"])).stdout));
      expect(left.deployment.resources ?? []).toEqual([]);
      const again = await stacks.fresh.up();
      expect(again.exitCode, again.output).toBe(0);
      expect(again.output).not.toMatch(/ (created|updated|replaced|deleted) \(/);
    },
  );
});

/** Until one ends well. @returns how many runs it took */
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
    const { exitCode, out } = await cli(stack, ["resume", stack.name, "--", ...quietly]);
    return { exitCode, said: out };
  }
  await stack.cancel();
  const { exitCode, output } = await stack.destroy(["--skip-preview"]);
  return { exitCode, said: output };
}

/** Until the first whole epoch after now is paid, and the wallet has collected it. */
async function rewarded(lab: Lab): Promise<void> {
  const truth = () => lab.chain<ChainTruth>("GET", "/truth");
  const { epoch, pillars } = await truth();
  const deadline = Date.now() + 10 * quick.epochSeconds * 1000;
  while ((await truth()).distributedEpoch <= epoch) {
    if (Date.now() > deadline) throw new Error("no epoch was paid");
    await sleep(500);
  }
  await collectRewards(lab, pillars.find(({ name }) => name === pillar)?.withdrawAddress ?? "");
}

type Places = Pick<Journey, "lab" | "old" | "fresh">;

const common = (lab: Lab) => ({ orchestrator: { backup: { directory: join(lab.dir, "backups") } }, network });

function oldFile({ lab, old }: Places, changes: StackFile): StackFile {
  return stackFile(lab, old, {
    ...common(lab),
    host: { provider: "existing", address: old.address, hostKey: old.hostKey },
    lifecycle: "adopted",
    ...changes,
  });
}

function freshFile({ lab, old, fresh }: Places, until: "stand-up" | "move" | "switch"): StackFile {
  const { orchestrator, ...rest } = common(lab);
  return stackFile(lab, fresh, {
    ...rest,
    orchestrator: {
      ...orchestrator,
      ...(until === "stand-up"
        ? {}
        : {
            release: { url: lab.orchestratorReleaseUrl(), version: "v0.0.9a" },
            steadySeconds: 3,
            migrateFrom: { address: old.address, hostKey: old.hostKey },
          }),
    },
    ...(until === "switch" ? { cutover: { wait: true } } : {}),
  });
}
