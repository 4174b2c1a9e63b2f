import { describe, expect, it } from "vitest";
import { waitForOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { expectFailure, expectSuccess, onHost } from "../fixture.ts";
import { configureMove, contentOf, copyLeftovers, moveStage, signersOf, stageOf } from "./moveStage.ts";

describe("the orchestrator's move with a problem on the way", () => {
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
      `found: this host's node (${stage.fresh.address}) says (embedded.bridge.getBridgeInfo): the bridge is halted`,
    );
    expect(output).toContain("orchestrator.haltedBridge 1");
    const { network } = await stage.lab.chain<{ network: { height: number } }>("GET", "/truth");
    await stage.lab.chain("PATCH", "/bridge", { halted: false, unhaltedAt: network.height });
    expect(await fails()).toContain(`the unhalt of momentum ${network.height} takes effect at momentum`);
    expect([await process(), await signersOf(stage)]).toEqual([before, ["old"]]);
    await stage.lab.chain("PATCH", "/bridge", { unhaltedAt: 0 });
  });

  it("does not stop an orchestrator that answers nothing while its process lives", async () => {
    const process = () => onHost(stage.old, "systemctl show -p MainPID --value orchestrator");
    const before = await process();
    await stage.lab.chain("PATCH", "/orchestrators/old", { freeze: true });
    const output = await fails();
    await stage.lab.chain("PATCH", "/orchestrators/old", { freeze: false });
    expect(output).toContain("no answer within 15 s: the orchestrator is overloaded or frozen");
    expect(output).toContain(`The key is on the old host (${stage.old.address}), which signs`);
    expect(output).not.toContain("stopping the orchestrator of the old host");
    expect([await process(), await signersOf(stage)]).toEqual([before, ["old"]]);
  });

  it("starts the old host's orchestrator again if a file keeps changing after the stop", async () => {
    await onHost(
      stage.old,
      "systemd-run -q --unit=scribe bash -c 'while :; do date +%N >> /root/.orchestrator/events/0000/scribe; sleep 0.02; done'",
    );
    const output = await fails();
    expect(output).toMatch(/differs from what .* has, after 3 copies|broke off/);
    expect(output).toContain(`The key is on the old host (${stage.old.address}), which signs`);
    expect(await signersOf(stage)).toEqual(["old"]);
    expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["restored", "abandoned"]);
    await onHost(stage.old, "systemctl stop scribe");
  });

  it("starts it again if a key generation runs, and the printed cure works", async () => {
    await stage.lab.chain("PATCH", "/orchestrators/old", { state: 0 });
    await stage.lab.chain("POST", "/orchestrators/old/keyGeneration", {});
    await expect.poll(() => onHost(stage.old, "journalctl -u orchestrator -n 50")).toContain("Started ECDSA Keygen");
    const output = await fails();
    expect(output).toContain(
      `the orchestrator of the old host (${stage.old.address}) was stopped in state 1 (key generation)`,
    );
    expect(output).toContain(`The key is on the old host (${stage.old.address}), which signs`);
    expect(await signersOf(stage)).toEqual(["old"]);
    expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["restored", "abandoned"]);
    const file = "/root/.orchestrator/config.json";
    await onHost(
      stage.old,
      `systemctl stop orchestrator; grep -q '"GlobalState": 1' ${file}; sed -i 's/"GlobalState": 1/"GlobalState": 0/' ${file}; systemctl start orchestrator`,
    );
    await stage.lab.chain("PATCH", "/orchestrators/old", { state: null });
    await waitForOrchestrator(stage.lab, stage.old, stage.state.identity);
  });

  it("copies odd owners, modes and names exactly, and copies damaged files again", async () => {
    await onHost(
      stage.old,
      `cd /root/.orchestrator/events && printf x > $'odd\\nname with \\\\ and "quotes"' && chown 1234:4321 000001.log && chmod 0604 000001.log && ln -s CURRENT link && mkdir -m 0750 empty`,
    );
    const before = await contentOf(stage.old);
    const odd = "cd /root/.orchestrator/events && stat -c '%n %a %u:%g %F' 000001.log link empty odd*";
    const told = await onHost(stage.old, odd);
    await configureMove(stage);
    // Time for the damage between the bulk copy and the comparison.
    await stage.lab.chain("PATCH", "/orchestrators/old", { stopMs: 4000 });
    const run = await stage.stack.begin();
    await run.hears((text) => (/orchestrator: stopping the/.test(text) ? "heard" : undefined), "the stop");
    // Other bytes, of the same size and time; another owner; another mode; a file gone, and one too many.
    await onHost(
      stage.fresh,
      `cd /root/.orchestrator.arriving/events/0000 && touch -r 000005.ldb /tmp/time && printf XX | dd of=000005.ldb conv=notrunc status=none
       touch -r /tmp/time 000005.ldb && chown 7:7 000006.ldb && chmod 777 000007.ldb && rm 000008.ldb && echo > odd-one`,
    );
    const output = await expectSuccess(run.end());
    expect(output).toContain("copy: 1 files differ after the copy; copying them again");
    await stage.lab.chain("PATCH", "/orchestrators/old", { stopMs: 300 });
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await contentOf(stage.fresh)).toBe(before);
    expect(await onHost(stage.fresh, odd)).toBe(told);
    expect(await copyLeftovers(stage)).toBe("");
  });

  it("undoes nothing if the new host's orchestrator does not stay up, and says how to continue or go back", async () => {
    await configureMove(stage, { rollback: true });
    await expectSuccess(stage.stack.up());
    await stage.lab.chain("PATCH", "/orchestrators/fresh", { crashAfterMs: 2000, version: "v0.0.9" });
    await configureMove(stage, { attempt: 2 });
    const output = await fails();
    expect(output).toContain("its version is v0.0.9, not v0.0.9a (pillar-host:orchestrator.release.version)");
    expect(output).toContain("the program undoes nothing: two orchestrators must never run at once");
    // Lines of its log are among the faults; at each of its starts it prints its configuration into it.
    for (const secret of stage.state.secrets) expect(output.includes(secret), secret.slice(0, 4)).toBe(false);
    expect(output).toContain("pulumi config set --path pillar-host:orchestrator.rollback true");
    expect(output).toContain(`The key is on the new host (${stage.fresh.address})`);
    expect(await stageOf(stage.fresh)).toBe("starting");
  });
});
