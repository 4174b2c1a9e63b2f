import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { LabHost } from "../../../lab/lab";
import { updateProducer } from "../../../lab/operator/wallet";
import { LabStack, type StackFile } from "../../../lab/stack/stack";
import { expectFailure, expectSuccess, onHost } from "../fixture";
import { configureMove, moveStage, signersOf, stageOf } from "../orchestrator/moveStage";
import { pillar, quick } from "./stage";

const producerOf = (host: LabHost) =>
  onHost(host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);

// Two operators have their own machine, backend and event log, so only the hosts show one operator's work to the other.
describe("the orchestrator's move by one stack, and the old host's shutdown by another", {
  timeout: 900_000,
}, () => {
  let theirs: LabStack;
  const stage = moveStage({
    prepare: async ({ lab, old }) => {
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

  it("happens once the move has ended", async () => {
    await stage.lab.chain("PATCH", "/orchestrators/fresh", { rpcDown: false });
    await configureMove(stage);
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
