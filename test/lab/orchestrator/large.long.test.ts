import { describe, expect, it } from "vitest";
import { expectSuccess, onHost } from "../fixture";
import { copyLeftovers, moveStage, signersOf } from "./moveStage";

const extraFiles = { count: 8000, bytes: 130_000 };

describe("a directory of 1 GB in 8,000 files", () => {
  const stage = moveStage({ setup: { extraFiles }, bare: true });
  const sum =
    "cd /root/.orchestrator/events && find . -name '*.ldb' -print0 | sort -z | xargs -0 sha256sum | sha256sum";

  it("moves in one unattended up, with the engine killed once in the copy", async () => {
    const [run, before] = [await stage.stack.begin(), await onHost(stage.old, sum)];
    const arriving = 'find /root/.orchestrator.arriving -name "*.ldb" 2> /dev/null | wc -l';
    await run.hears(
      (output) => (/copying from \S+ to \S+: the old host/.test(output) ? "heard" : undefined),
      "the bulk copy",
    );
    // Held on the host itself: a quick host receives the rest before a kill from outside.
    await onHost(
      stage.fresh,
      `timeout 180 bash -c 'until [ "$(${arriving})" -gt 100 ]; do :; done; pkill -STOP -x tar'`,
    );
    await run.kill();
    expect(Number(await onHost(stage.fresh, arriving))).toBeLessThan(extraFiles.count);
    await onHost(stage.fresh, "pkill -CONT -x tar");
    expect(await signersOf(stage)).toEqual(["old"]);
    await stage.stack.cancel();
    await expectSuccess(stage.stack.up());
    expect(await signersOf(stage)).toEqual(["new"]);
    expect(await onHost(stage.fresh, sum)).toBe(before);
    expect(await copyLeftovers(stage)).toBe("");
    const { orchestrator } = await stage.stack.outputs<{ orchestrator: { secondsWithoutSigner: number } }>();
    expect(orchestrator.secondsWithoutSigner).toBeLessThan(30);
  });
});
