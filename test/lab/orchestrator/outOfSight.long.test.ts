import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LabHost } from "../../../lab/lab.ts";
import { expectSuccess, onHost } from "../fixture.ts";
import { configureMove, contentOf, copyLeftovers, moveStage, putBack, signersOf, stageOf } from "./moveStage.ts";

describe("an old host that becomes unreachable", () => {
  const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } }, bare: true, withReference: true });
  const reaches = async (host: LabHost, stages: readonly string[]) => {
    for (const end = Date.now() + 60_000; !stages.includes(await stageOf(host)); await sleep(50))
      if (Date.now() > end)
        throw new Error(`${host.name} came to ${await stageOf(host)}, not to ${stages.join(" or ")}`);
  };

  it("is named in the error before the move, and nothing is changed", async () => {
    await stage.old.stop();
    const { exitCode, output } = await stage.stack.up();
    await stage.old.start();
    expect(exitCode, output).not.toBe(0);
    expect(output).toContain("The orchestrator can't be moved yet; nothing was touched on either host");
    expect(output).toContain(`${stage.old.address}: the old host can't be read`);
    expect(output).toContain("(pillar-host:oldHost)");
    expect(await onHost(stage.fresh, "ls -d /root/.orch* /var/lib/pillar-host/orch* 2> /dev/null || true")).toBe("");
    await expect.poll(() => signersOf(stage)).toEqual(["old"]);
  });

  it("boots without an orchestrator after a power cut at the stop, and the run continues", async () => {
    const before = await contentOf(stage.old);
    const run = await stage.stack.begin();
    await run.hears(
      (text) => (/: stopping the orchestrator of the old host/.test(text) ? "heard" : undefined),
      "the stop",
    );
    await reaches(stage.old, ["stopping", "fenced"]);
    await stage.old.reboot({ powerCut: true });
    await expectSuccess(run.end());
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await contentOf(stage.fresh)).toBe(before);
    expect(await copyLeftovers(stage)).toBe("");
  });

  it("is not needed by the next up after a power cut at the fence and a killed engine", async () => {
    await putBack(stage);
    await configureMove(stage, { attempt: 2 });
    const before = await contentOf(stage.old);
    const run = await stage.stack.begin();
    await run.hears((text) => (/orchestrator: fencing the old host/.test(text) ? "heard" : undefined), "the fence");
    await reaches(stage.fresh, ["staged", "switched", "starting"]);
    await stage.old.stop({ powerCut: true });
    await run.kill();
    await stage.stack.cancel();
    const output = await expectSuccess(stage.stack.up());
    expect(output).toContain("remove the lines with pillar-host-copy from root's authorized_keys there");
    expect(
      await onHost(stage.fresh, "systemctl is-active orchestrator; ls /var/lib/pillar-host | grep -c copy || true"),
    ).toBe("active\n0");
    expect(await contentOf(stage.fresh)).toBe(before);
  });

  it("boots fenced after the move, and an up changes nothing", async () => {
    const again = await expectSuccess(stage.stack.up());
    expect(again).not.toMatch(/orchestrator-(move|backup|install).*(updat|creat)/);
    await stage.old.start();
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await onHost(stage.old, "systemctl is-enabled orchestrator || true")).toBe("masked");
  });
});
