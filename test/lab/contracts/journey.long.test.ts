import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { RealNetwork } from "../../../lab/real/realNetwork.ts";
import { giveRealNode, setUpRealNode } from "../../../lab/real/realNode.ts";
import type { Run } from "../../../lab/stack/engineRun.ts";
import { LabStack, type StackFile } from "../../../lab/stack/stack.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { journeyIn } from "../../recordIn.ts";
import { expectFailure, expectSuccess, onHost, testLab } from "../fixture.ts";
import { realOnly } from "./contract.ts";

/** The node that is built for short tests: two seconds to a momentum, twenty to a tick, six ticks to an epoch. */
const clocks = { blockTime: 2, tickSlots: 10, epoch: 120, rewardDelay: 20, updateMomentums: 5 };
/** Milliseconds. */
const tick = clocks.tickSlots * clocks.blockTime * 1000;
const pillar = "Pillar-2";

/** Makes a network of real nodes of which one, p2, lives on the old host, and another, s1, waits for the new host's deploy. */
async function journeyStage(made: (lab: Lab) => void) {
  const lab = await testLab();
  made(lab);
  const old = await lab.addHost("old", ensurePackagedImage);
  const fresh = await lab.addHost("fresh", ensurePackagedImage);
  const network = await RealNetwork.create(lab, { clocks, hosts: { p2: old.address, s1: fresh.address } });
  await network.start("p1", "p3");
  await setUpRealNode(network, "p2", old);
  await giveRealNode(network, "s1", fresh);
  await lab.chain("PATCH", "/nodes/fresh", { buildSeconds: 1, buildLines: 10 });

  const backups = join(lab.dir, "backups");
  const references = [network.node("p1").rpc, network.node("p3").rpc];
  const common = {
    pillar: { name: pillar },
    sync: { references },
    network: { epoch: `${clocks.epoch}s`, momentum: `${clocks.blockTime}s`, tickMomentums: clocks.tickSlots },
    orchestrator: { backup: { directory: backups } },
  };
  const oldFile = (changes: StackFile): StackFile => ({
    ...common,
    lifecycle: "adopted",
    host: { provider: "existing", address: old.address, hostKey: old.hostKey },
    retirement: { successor: { address: fresh.address, hostKey: fresh.hostKey } },
    ...changes,
  });
  const freshFile = (changes: StackFile): StackFile => ({
    ...common,
    host: { provider: "existing", address: fresh.address, hostKey: fresh.hostKey, minimums: { cores: 1, diskGb: 1 } },
    controller: { release: { url: lab.releaseUrl() } },
    ...changes,
  });
  const secrets = { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") };
  const stacks = {
    old: await LabStack.create(lab, "prod", oldFile({}), secrets),
    fresh: await LabStack.create(lab, "prod-2", freshFile({}), secrets),
  };
  return {
    lab,
    network,
    old,
    fresh,
    stacks,
    backups,
    configureOld: (changes: StackFile) => stacks.old.configure(oldFile(changes), secrets),
  };
}

type StackStage = Awaited<ReturnType<typeof journeyStage>>;

/** Takes a host's node away from all others of the network, or lets it meet them. */
async function keepApart({ network }: StackStage, host: LabHost, apart: boolean): Promise<void> {
  const others = network.nodes.map(({ ip }) => ip).filter((ip) => ip !== host.address);
  await onHost(host, others.map((ip) => `ip route ${apart ? "add" : "del"} blackhole ${ip}/32`).join(" && "));
}

/** Runs the line that is active in root's crontab as cron does, instead of waiting for the hour. */
async function runHourlyLine(host: LabHost): Promise<void> {
  await onHost(
    host,
    `line=$(crontab -l | sed -nE 's/^0 [*] [*] [*] [*] (.* go-node restart)$/\\1/p'); [ -n "$line" ]
     env -i HOME=/root LOGNAME=root SHELL=/bin/sh PATH=/usr/bin:/bin /bin/sh -c "$line"`,
  );
}

/** Returns the first matching output of a run as soon as it is printed. */
const hears = (run: Run, pattern: RegExp, seconds?: number) =>
  run.hears((output) => pattern.exec(output)?.[0], String(pattern), seconds);

/** Returns the address that produced each momentum, from the first on, as a node of the network reports it. */
async function producers({ lab, network }: StackStage): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const params = [all.length + 1, 1000];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ledger.getMomentumsByHeight", params });
    const request = ["-sf", "-H", "content-type: application/json", "-d", body, network.node("p1").rpc];
    const { list } = JSON.parse((await lab.run(["curl", ...request])).stdout).result as {
      list: { producer: string }[];
    };
    if (list.length === 0) return all;
    all.push(...list.map(({ producer }) => producer));
  }
}

keepEngineLogs();

// Each test continues from the previous one.
realOnly("a Pillar's journey by pulumi up", ["node-world/znnd-fast", "node-world/znndev"], () => {
  let lab: Lab;
  let stage: StackStage;
  /** Time of the first momentum with the new address, in unix milliseconds. */
  let switchedAt: number;

  beforeAll(async () => {
    stage = await journeyStage((made) => {
      lab = made;
    });
  });
  afterAll(async () => {
    for (const stack of Object.values(stage?.stacks ?? {})) await stack.endRuns();
    await lab?.down();
  });

  const nodeOf = (host: StackStage["old"]) => onHost(host, "systemctl show -p MainPID --value go-node");

  test("adopts the old host's running node, unchanged", async () => {
    const before = await nodeOf(stage.old);
    await expectSuccess(stage.stacks.old.up());
    expect(await nodeOf(stage.old)).toBe(before);
  });

  test("procedure A deploys the real node, survives the hourly restart, and proves its sync", async () => {
    const { fresh, network, stacks } = stage;
    await keepApart(stage, fresh, true);
    const run = await stacks.fresh.begin();
    await hears(run, /sync: .*peers/);
    const first = await nodeOf(fresh);
    await keepApart(stage, fresh, false);
    await runHourlyLine(fresh);
    expect(await run.output()).not.toContain("sync: synced at height");
    await expectSuccess(run.end());
    expect(await nodeOf(fresh)).not.toBe(first);
    expect(await onHost(fresh, "journalctl -u go-node -o cat | grep -c 'Shutting down znnd'")).toBe("1");

    const { sync, producerAddress, registration } = await stacks.fresh.outputs<{
      sync: Record<string, unknown>;
      producerAddress: string;
      registration: Record<string, unknown>;
    }>();
    expect(sync).toMatchObject({ state: 2, unproved: [] });
    expect(sync.proved).toContain("height agrees with the references' median");
    expect(producerAddress).toBe(network.node("s1").producer);
    expect(registration).toMatchObject({ state: "earlier", address: network.node("p2").producer });
    expect(await onHost(fresh, "crontab -l")).toBe("#0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart");
  });

  test("refuses the old host's retirement before the wallet's update", async () => {
    await stage.configureOld({ lifecycle: "retiring" });
    const before = await nodeOf(stage.old);
    const output = await expectFailure(stage.stacks.old.up());
    expect(output).toContain("- this host's producer address is the registered one, say this host's node");
    expect(await nodeOf(stage.old)).toBe(before);
  });

  test("finds the first momentum with the new address after the wallet's update", async () => {
    const { fresh, network, stacks } = stage;
    const running = await nodeOf(fresh);
    const asked = Date.now();
    await network.updatePillar(pillar, network.node("s1").producer);
    const published = Date.now();
    const look = async () => {
      const output = await expectSuccess(stacks.fresh.up());
      expect(output).not.toContain("while its node is not synced");
      const { registration } = await stacks.fresh.outputs<{ registration: Record<string, unknown> }>();
      expect(registration.state, output).toBe("producing");
      return registration;
    };
    const registration = await vi.waitFor(look, { timeout: 600_000, interval: 2000 });
    const [earlier, address] = [network.node("p2").producer, network.node("s1").producer];
    expect(registration).toMatchObject({ state: "producing", producing: true, earlier, address });
    switchedAt = Date.parse(String(registration.switchedAt));
    const tickOf = (time: number) => Math.floor((time - network.genesis) / tick);
    // Two after that in which the contract has it, which may be the one after its publication.
    expect(tickOf(switchedAt) - tickOf(asked)).toBeGreaterThanOrEqual(2);
    expect(tickOf(switchedAt) - tickOf(published)).toBeLessThanOrEqual(3);
    expect(await nodeOf(fresh)).toBe(running);
  });

  test("shuts the old host's node down cleanly, and its destroy waits for the rewards", async () => {
    const { old, stacks } = stage;
    await expectSuccess(stacks.old.up());
    expect(await onHost(old, "systemctl is-active go-node || systemctl is-enabled go-node || true")).toBe(
      "inactive\nmasked",
    );
    expect(await onHost(old, "journalctl -u go-node -o cat | grep -c 'Shutting down znnd'")).toBe("1");
    const refused = await expectFailure(stacks.old.destroy());
    expect(refused).toMatch(/found: the first whole epoch after the switch, \d+, is not paid yet/);
  });

  test("destroys the old host after the rewards are collected, with a last backup", async () => {
    const { network, stacks } = stage;
    const epoch = clocks.epoch * 1000;
    const whole = Math.floor((switchedAt - network.genesis) / epoch) + 1;
    await sleep(network.genesis + (whole + 1) * epoch + clocks.rewardDelay * 1000 - Date.now());
    const paid = async () =>
      expect((await stacks.old.destroy()).output).toMatch(/found: paid since epoch \d+, and not collected: [1-9]/);
    await vi.waitFor(paid, { timeout: 120_000, interval: 5000 });
    await network.collect(pillar);
    const output = await expectSuccess(stacks.old.destroy());
    expect(output).toMatch(/retirement: epoch \d+, the first whole one after the switch, was paid/);
    expect(readdirSync(stage.backups)).toContainEqual(
      expect.stringMatching(/^pillar-host-prod-Pillar-2-retired-.*\.tar\.age$/),
    );
    const events = journeyIn(stage.backups, pillar)
      .filter(({ stack }) => stack === "prod")
      .map(({ event }) => event);
    expect(events.filter((event) => event !== "refused")).toEqual([
      ...["host", "recorded", "shuttingDown", "shutDown", "rewards", "released"],
    ]);
  });

  test("the chain saw one producer at a time, and the engine wrote no key store's password", async () => {
    const { network, stacks } = stage;
    const all = await producers(stage);
    const [old, fresh] = [network.node("p2").producer, network.node("s1").producer];
    expect(all.lastIndexOf(old)).toBeGreaterThan(0);
    expect(all.indexOf(fresh)).toBeGreaterThan(all.lastIndexOf(old));
    for (const stack of Object.values(stacks)) {
      const written = await stack.written();
      expect(written).toContain(pillar);
      for (const secret of [network.password, JSON.stringify(network.password).slice(1, -1)])
        expect(written.includes(secret)).toBe(false);
    }
  });
});
