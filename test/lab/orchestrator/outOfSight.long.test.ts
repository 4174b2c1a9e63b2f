import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LabHost } from "../../../lab/lab";
import { onHost } from "../fixture";
import { configureMove, contentOf, copyLeftovers, moveStage, putBack, signersOf, stageOf } from "./moveStage";

describe("an old host that becomes unreachable", () => {
  const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } }, bare: true, withReference: true });
  const reaches = async (host: LabHost, stages: readonly string[]) => {
    for (const end = Date.now() + 60_000; !stages.includes(await stageOf(host)); await sleep(50))
      if (Date.now() > end)
        throw new Error(`${host.name} came to ${await stageOf(host)}, not to ${stages.join(" or ")}`);
  };

  it("before the move: the error says so, and nothing is changed", async () => {
    await stage.old.stop();
    const { exitCode, output } = await stage.stack.up();
    await stage.old.start();
    expect(exitCode, output).not.toBe(0);
    expect(output).toContain("The orchestrator can't be moved yet; nothing was touched on either host");
    expect(output).toContain(`${stage.old.address}: the old host can't be looked at`);
    expect(output).toContain("(pillar-host:orchestrator.migrateFrom)");
    expect(await onHost(stage.fresh, "ls -d /root/.orch* /var/lib/pillar-host/orch* 2> /dev/null || true")).toBe("");
    await expect.poll(() => signersOf(stage)).toEqual(["old"]);
  });

  it("by a power cut at the stop: it boots without an orchestrator, and the run continues", async () => {
    const before = await contentOf(stage.old);
    const run = await stage.stack.begin();
    await run.hears((text) => (/orchestrator: stopping the old host/.test(text) ? "heard" : undefined), "the stop");
    await reaches(stage.old, ["stopping", "fenced"]);
    await stage.old.reboot({ powerCut: true });
    const { exitCode, output } = await run.end();
    expect(exitCode, output).toBe(0);
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await contentOf(stage.fresh)).toBe(before);
    expect(await copyLeftovers(stage)).toBe("");
  });

  it("by a power cut after the fence with a killed engine: the next up continues without it", async () => {
    await putBack(stage);
    await configureMove(stage, { attempt: 2 });
    const before = await contentOf(stage.old);
    const run = await stage.stack.begin();
    await run.hears((text) => (/orchestrator: fencing the old host/.test(text) ? "heard" : undefined), "the fence");
    await reaches(stage.fresh, ["staged", "switched", "starting"]);
    await stage.old.stop({ powerCut: true });
    await run.kill();
    await stage.stack.cancel();
    const { exitCode, output } = await stage.stack.up();
    expect(exitCode, output).toBe(0);
    expect(output).toContain("take lines with pillar-host-copy out of root's authorized_keys there");
    expect(
      await onHost(stage.fresh, "systemctl is-active orchestrator; ls /var/lib/pillar-host | grep -c copy || true"),
    ).toBe("active\n0");
    expect(await contentOf(stage.fresh)).toBe(before);
  });

  it("after the move: an up changes nothing, and the old host boots fenced", async () => {
    const again = await stage.stack.up();
    expect(again.exitCode, again.output).toBe(0);
    expect(again.output).not.toMatch(/orchestrator-(move|backup|install).*(updat|creat)/);
    await stage.old.start();
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await onHost(stage.old, "systemctl is-enabled orchestrator || true")).toBe("masked");
  });
});
