import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { LabHost } from "../../../lab/lab.ts";
import { waitForOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { updateProducer } from "../../../lab/operator/wallet.ts";
import { LabStack, type StackFile } from "../../../lab/stack/stack.ts";
import { expectFailure, expectSuccess, linesOf, onHost } from "../fixture.ts";
import { configureMove, moveStage, signersOf, stageOf } from "../orchestrator/moveStage.ts";
import { pillar, quick } from "./stage.ts";

const producerOf = (host: LabHost) =>
  onHost(host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);

// Two operators have their own machine, backend and event log, so only the hosts show one operator's work to the other.
describe("the orchestrator's move by one stack, and the old host's shutdown by another", {
  timeout: 900_000,
}, () => {
  let theirs: LabStack;
  // A name of the old host that leads there from the new one, too: no address in config.json says so.
  const name = "pillar-old";
  const stage = moveStage({
    setup: { nodeHost: name, started: false },
    prepare: async ({ lab, old, fresh, state }) => {
      for (const host of [old, fresh]) await onHost(host, `echo "${old.address} ${name}" >> /etc/hosts`);
      await onHost(old, "systemctl start orchestrator");
      await waitForOrchestrator(lab, old, state.identity);
      await lab.chain("PATCH", "/truth", quick);
      await lab.chain("PATCH", `/pillars/${pillar}`, { producerAddress: await producerOf(old) });
    },
  });
  const theirFile = (lifecycle: string): StackFile => ({
    pillar: { name: pillar },
    lifecycle,
    host: { provider: "existing", address: stage.old.address, hostKey: stage.old.hostKey },
    network: { epoch: `${quick.epochSeconds}s`, momentum: "250ms", tickMomentums: quick.tickMomentums },
    retirement: { successor: { address: stage.fresh.address, hostKey: stage.fresh.hostKey } },
  });
  const login = async () => ({ "ssh.privateKey": await readFile(stage.lab.privateKeyFile, "utf8") });
  const nodeOf = (host: LabHost) => onHost(host, "systemctl is-active go-node || true");
  /** Repeats the run until it ends like this: right after the switch a busy node may not know of it yet. */
  const retires = (wanted: RegExp) =>
    vi.waitFor(
      async () => {
        const { exitCode, output } = await theirs.up();
        expect(output).toMatch(wanted);
        return exitCode;
      },
      { timeout: 300_000, interval: 5000 },
    );

  it("waits for the end of a move, whose rollback would need this node", async () => {
    theirs = await LabStack.create(stage.lab, "old", theirFile("adopted"), await login(), { folder: "theirs" });
    await expectSuccess(theirs.up());
    // The started orchestrator does not answer: the move stops in the middle, and undoes nothing by itself.
    await stage.lab.chain("PATCH", "/orchestrators/fresh", { rpcDown: true });
    await configureMove(stage, { startTimeout: "1m" });
    const cut = await expectFailure(stage.stack.up());
    expect(cut).toContain(`The key is on the new host (${stage.fresh.address})`);
    expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["fenced", "starting"]);

    await updateProducer(stage.lab, pillar, await producerOf(stage.fresh));
    await sleep(quick.momentumSeconds * 1000 * quick.tickMomentums * 4);
    await theirs.configure(theirFile("retiring"), await login());
    expect(
      await retires(
        /a move of the orchestrator is not over on this host, \S+: the orchestrator may still come to this host/,
      ),
    ).not.toBe(0);
    expect(await nodeOf(stage.old)).toBe("active");
    expect(await onHost(stage.old, "ls /var/lib/pillar-host")).not.toContain("retired");
  });

  it("waits while the moved orchestrator uses this node, which the move's run says, and undoes nothing for it", async () => {
    await stage.lab.chain("PATCH", "/orchestrators/fresh", { rpcDown: false });
    await configureMove(stage);
    const told = linesOf(await expectFailure(stage.stack.up()));
    const [old, fresh] = [`the old host (${stage.old.address})`, `the new host (${stage.fresh.address})`];
    expect(told).toContain(`the orchestrator moved to ${fresh} and signs, but it uses a node of ${old}, and ends when`);
    expect(told).toContain(`found: its process is connected to ${stage.old.address}:35998`);
    expect(told).toContain(
      "needed: on the orchestrator's host, stop it, name the node there (127.0.0.1) in Networks of",
    );
    expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["moved", "running"]);
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(
      await retires(
        /the successor's orchestrator runs without a node of this host, \S+\s+found: a connection of its process to \S+:35998/,
      ),
    ).not.toBe(0);
    expect([await nodeOf(stage.old), await signersOf(stage)]).toEqual(["active", ["new"]]);
  });

  it("happens once the orchestrator uses its own node", async () => {
    await onHost(
      stage.fresh,
      `systemctl stop orchestrator; sed -i 's/@${name}:/@127.0.0.1:/' /root/.orchestrator/config.json; systemctl start orchestrator`,
    );
    await waitForOrchestrator(stage.lab, stage.fresh, stage.state.identity);
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await retires(/the node of \S+ is stopped, disabled and masked/)).toBe(0);
    expect(await nodeOf(stage.old)).not.toBe("active");
  });

  it("allows no move back there: the orchestrator is not stopped for one", async () => {
    const began = await onHost(stage.fresh, "systemctl show -p ActiveEnterTimestampMonotonic orchestrator");
    await configureMove(stage, { rollback: true });
    const output = await expectFailure(stage.stack.up());
    expect(output).toContain("the node of this host was shut down for good: no orchestrator moves here");
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await onHost(stage.fresh, "systemctl show -p ActiveEnterTimestampMonotonic orchestrator")).toBe(began);
    await configureMove(stage);
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual(["new"]);
  });
});
