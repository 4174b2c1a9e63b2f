import { describe, expect, it } from "vitest";
import { onHost } from "../fixture";
import { configureMove, contentOf, copyLeftovers, moveStage, signersOf, stageOf } from "./moveStage";

describe("the signer's move where something is wrong", () => {
  const stage = moveStage({ setup: { extraFiles: { count: 200, bytes: 20_000 } } });
  const fails = async () => {
    const { exitCode, output } = await stage.stack.up();
    expect(exitCode, output).not.toBe(0);
    return output;
  };

  it("the target's disk is full: the old side signs on, and the error says so", async () => {
    await onHost(
      stage.fresh,
      "mkdir -p /root/.orchestrator.arriving && mount -t tmpfs -o size=1m tmpfs /root/.orchestrator.arriving",
    );
    const output = await fails();
    expect(output).toContain("No space left on device");
    expect(output).toContain(`The key is on the old side (${stage.old.address}), which signs`);
    expect(await signersOf(stage)).toEqual(["old"]);
    expect(await copyLeftovers(stage)).toBe("");
    await onHost(stage.fresh, "umount /root/.orchestrator.arriving");
  });

  it("a file goes on changing after the stop: the old side is brought back by itself", async () => {
    await onHost(
      stage.old,
      "systemd-run -q --unit=scribe bash -c 'while :; do date +%N >> /root/.orchestrator/events/0000/scribe; sleep 0.02; done'",
    );
    const output = await fails();
    expect(output).toMatch(/is not what .* has, after 3 copies|broke off/);
    expect(output).toContain(`The key is on the old side (${stage.old.address}), which signs`);
    expect(await signersOf(stage)).toEqual(["old"]);
    expect([await stageOf(stage.old), await stageOf(stage.fresh)]).toEqual(["restored", "abandoned"]);
    await onHost(stage.old, "systemctl stop scribe");
  });

  it("the old host is out of sight: nothing is touched", async () => {
    await stage.old.stop();
    const output = await fails();
    expect(output).toMatch(/the old side \([\d.]+\).*out of sight/);
    expect(await onHost(stage.fresh, "systemctl is-active orchestrator || true")).not.toBe("active");
    await stage.old.start();
    await expect.poll(() => signersOf(stage), { timeout: 60_000 }).toEqual(["old"]);
  });

  it("odd owners, modes and names arrive as they are", async () => {
    await onHost(
      stage.old,
      `cd /root/.orchestrator/events && printf x > $'odd\\nname with \\\\ and "quotes"' && chown 1234:4321 000001.log && chmod 0604 000001.log && ln -s CURRENT link && mkdir -m 1750 empty`,
    );
    const before = await contentOf(stage.old);
    const odd = "cd /root/.orchestrator/events && stat -c '%n %a %u:%g %F' 000001.log link empty odd*";
    const told = await onHost(stage.old, odd);
    await configureMove(stage);
    const { exitCode, output } = await stage.stack.up();
    expect(exitCode, output).toBe(0);
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await contentOf(stage.fresh)).toBe(before);
    expect(await onHost(stage.fresh, odd)).toBe(told);
    expect(await copyLeftovers(stage)).toBe("");
  });

  it("a new side that does not come up: nothing is undone by itself, the error says how to go on and back", async () => {
    await configureMove(stage, { rollback: true });
    expect((await stage.stack.up()).exitCode).toBe(0);
    await stage.lab.chain("PATCH", "/orchestrators/fresh", { crashAfterMs: 2000 });
    await configureMove(stage, { attempt: 2 });
    const output = await fails();
    expect(output).toContain("nothing is undone by itself: two signers must never run at once");
    expect(output).toContain("pulumi config set --path pillar-host:orchestrator.rollback true");
    expect(output).toContain(`The key is on the new side (${stage.fresh.address})`);
    expect(await stageOf(stage.fresh)).toBe("starting");
    await configureMove(stage, { attempt: 2, rollback: true });
    const back = await stage.stack.up();
    expect(back.exitCode, back.output).toBe(0);
    expect(await signersOf(stage)).toEqual(["old"]);
  });
});
