import { describe, expect, it } from "vitest";
import { waitForOrchestrator } from "../../../lab/oldHost/runningOrchestrator";
import { expectFailure, onHost } from "../fixture";
import { copyLeftovers, moveStage, signersOf } from "./moveStage";

describe("the orchestrator's move with a problem before it", () => {
  const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } } });
  const fails = async () => {
    const output = await expectFailure(stage.stack.up());
    return output;
  };

  it("the old host keeps signing if the new host's disk is full, and the error says so", async () => {
    await onHost(
      stage.fresh,
      "mkdir -p /root/.orchestrator.arriving && mount -t tmpfs -o size=1m tmpfs /root/.orchestrator.arriving",
    );
    const output = await fails();
    expect(output).toContain("warning: the directory could not be copied beforehand");
    expect(output).toContain("the other host sent more than this host accepts");
    expect(output).toMatch(/needed: room for all of it, and 32 MB for the node; now [\d.]+[KMG]? free on \/root/);
    expect(output).toContain(`The key is on the old host (${stage.old.address}), which signs`);
    expect(await signersOf(stage)).toEqual(["old"]);
    expect(await copyLeftovers(stage)).toBe("");
    await onHost(stage.fresh, "umount /root/.orchestrator.arriving");
  });

  it("does not stop the orchestrator while the bridge is halted", async () => {
    const process = () => onHost(stage.old, "systemctl show -p MainPID --value orchestrator");
    const before = await process();
    await stage.lab.chain("PATCH", "/bridge", { halted: true });
    const output = await fails();
    expect(output).toContain(
      `the bridge is halted: refusing to stop the orchestrator of the old host (${stage.old.address}) now`,
    );
    expect(output).toContain(
      `found: the node of ${stage.fresh.address} says (embedded.bridge.getBridgeInfo): the bridge is halted`,
    );
    expect(output).toContain("orchestrator.migrateFrom.haltedBridge acknowledged");
    const { network } = await stage.lab.chain<{ network: { height: number } }>("GET", "/truth");
    await stage.lab.chain("PATCH", "/bridge", { halted: false, unhaltedAt: network.height });
    expect(await fails()).toContain(`the unhalt of momentum ${network.height} takes effect at momentum`);
    expect([await process(), await signersOf(stage)]).toEqual([before, ["old"]]);
    await stage.lab.chain("PATCH", "/bridge", { unhaltedAt: 0 });
  });

  it("changes nothing if the old host is unreachable", async () => {
    await stage.old.stop();
    const output = await fails();
    expect(output).toMatch(/the old host \([\d.]+\).*unreachable/);
    expect(await onHost(stage.fresh, "systemctl is-active orchestrator || true")).not.toBe("active");
    await stage.old.start();
    // A unit that is active may end yet, where its node is not up as soon: it is started again after ten seconds.
    await waitForOrchestrator(stage.lab, stage.old, stage.state.identity);
    expect(await signersOf(stage)).toEqual(["old"]);
  });
});
