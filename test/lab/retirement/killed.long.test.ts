import { describe, expect, it } from "vitest";
import { collectLastRewards } from "../../../lab/operator/wallet.ts";
import { databaseOf, expectFailure, expectSuccess, linesOf, onHost } from "../fixture.ts";
import { configureOld, elect, journeyOf, pillar, resourcesOf, retirementStage } from "./stage.ts";

const stage = retirementStage();
const override = "PILLAR_HOST_GIVE_UP_ANYWAY";
const guards = async () =>
  (await resourcesOf(stage)).filter((each) => JSON.stringify(each).includes("RetirementGuard")).length;

/** Runs a destroy with these variables. */
async function destroy(env: Record<string, string> = {}, args: readonly string[] = []) {
  const { exitCode, output } = await stage.stack.destroy(["--skip-preview", ...args], env);
  return { exitCode, output: linesOf(output) };
}

/** Kills the engine at this output of a destroy. */
async function killedAt(pattern: RegExp): Promise<void> {
  const run = await stage.stack.begin([], "destroy");
  await run.hears((output) => (pattern.test(output) ? "heard" : undefined), String(pattern));
  await run.kill();
  await stage.stack.cancel();
}

describe("a destroy of the producing stack right after the cutover", () => {
  it("is refused without Pulumi's protection too, and changes nothing", async () => {
    await expectSuccess(stage.stack.up());
    await stage.stack.pulumi(["state", "unprotect", "--all", "--yes"]);
    const before = await resourcesOf(stage);
    const output = await expectFailure(destroy());
    expect(output).toContain("- this host's producer address is the registered one, say this host's node");
    expect(await resourcesOf(stage)).toEqual(before);
    // A part of it alone meets a guard too.
    const part = await expectFailure(destroy({}, ["--target", "**::first-contact", "--target-dependents"]));
    expect(part).toContain("- this host's producer address is the registered one, say this host's node");
    expect(await onHost(stage.old, "systemctl is-active go-node")).toBe("active");
  });

  it("is refused with another Pillar's name in the configuration", async () => {
    await configureOld(stage, { pillar: { name: "Bolt" } });
    const output = await expectFailure(stage.stack.up());
    expect(linesOf(output)).toMatch(
      /error: no Pillar "Bolt" on the chain of .* \(height \d+\); nothing was changed\nfound: no registered name is similar\n/,
    );
    // The refused run stored nothing, so a destroy is judged for the Pillar of the last good run.
    expect(await expectFailure(destroy())).toContain("the host of stack prod for Anvil, can't be given up yet");
    await configureOld(stage, {});
  });
});

describe("a shutdown that was killed before systemd knew of the mask", () => {
  it("continues, and the node closes its database", async () => {
    await elect(stage, stage.addresses.fresh);
    await configureOld(stage, { lifecycle: "retiring" });
    const unit = "/etc/systemd/system/go-node.service";
    await onHost(stage.old, `mv ${unit} ${unit}.retired && ln -s /dev/null ${unit}`);
    await expectSuccess(stage.stack.up());
    expect(await onHost(stage.old, "systemctl is-active go-node || true")).toBe("inactive");
    expect(await databaseOf(stage.old)).toBe("");
  });
});

describe("an engine that is killed in a destroy", () => {
  it("continues with the next destroy, wherever it was", async () => {
    await collectLastRewards(stage.lab, pillar);
    // A killed engine's provider may still make the backup, so the run that is killed there comes first.
    for (const step of [/proved by decrypting/, /retirement: looking at/, /host-guard deleting/]) {
      await killedAt(step);
      expect(await guards(), String(step)).toBeGreaterThan(0);
    }
    expect(await onHost(stage.old, "systemctl is-active go-node || true")).toBe("inactive");
    await expectSuccess(destroy());
    expect(journeyOf(stage).at(-1)?.event).toBe("released");
    expect(await guards()).toBe(0);
  });
});

describe("a host that is unreachable from the start", () => {
  it("can be retired, and is destroyed only by the typed sentence", async () => {
    await stage.old.stop({ powerCut: true });
    await configureOld(stage, { lifecycle: "retiring" });
    await expectSuccess(stage.stack.up());
    const { nextStep } = await stage.stack.outputs<{ nextStep: string[] }>();
    expect(nextStep[0]).toBe("The node of this host could not be stopped: it does not answer.");
    const output = await expectFailure(destroy());
    expect(output).toContain(`- this host, ${stage.old.address}, does not answer: its node may still run`);
    const sentence = new RegExp(`${override}='(.*)'`).exec(output)?.[1] ?? "";
    expect(sentence).toMatch(/^Anvil, stack \S+, host \S+: I accept to lose momentums and the orchestrator$/);
    await expectSuccess(destroy({ [override]: sentence }));
    expect(journeyOf(stage).findLast(({ event }) => event === "override")?.details).toMatchObject({ sentence });
  });
});
