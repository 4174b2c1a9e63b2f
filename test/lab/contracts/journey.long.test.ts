import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Lab } from "../../../lab/lab";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { journeyIn } from "../../recordIn";
import { expectFailure, expectSuccess, onHost } from "../fixture";
import { realOnly } from "./contract";
import {
  clocks,
  hears,
  type JourneyStage,
  journeyStage,
  keepApart,
  pillar,
  producers,
  runHourlyLine,
  tick,
} from "./journeyStage";

keepEngineLogs();

// Each test continues from the previous one.
realOnly("a Pillar's journey by pulumi up", ["node-world/znnd-fast", "node-world/znndev"], () => {
  let lab: Lab;
  let stage: JourneyStage;
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

  const nodeOf = (host: JourneyStage["old"]) => onHost(host, "systemctl show -p MainPID --value go-node");

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
