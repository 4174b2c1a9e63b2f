import { describe, expect, it } from "vitest";
import type { Run } from "../../../lab/stack/engineRun.ts";
import { expectSuccess, holdLock, onHost, staged } from "../fixture.ts";
import { expectOnce, holdStep, until, waitingFor } from "./effects.ts";

describe("an engine that is killed", () => {
  const stage = staged(undefined, async (lab) => {
    await lab.chain("PATCH", "/nodes/host1", { buildSeconds: 10, buildLines: 100, stall: true });
  });

  /** The one that was killed last. */
  let run: Run;

  /** Begins `up`, lets the previous step continue once it is waited for, and kills the run in the next step. */
  async function upKilledWhen(condition: string, left?: string): Promise<string> {
    run = await stage.stack.begin();
    if (left) {
      await run.printed(waitingFor(left));
      await holdStep(stage.host, false);
    }
    await Promise.race([
      until(stage.host, condition),
      run.end().then(({ output }) => {
        throw new Error(`ended first:\n${output}`);
      }),
    ]);
    return run.kill();
  }
  // The other plugins and the language host look for their engine every five minutes.
  const providers = async () => (await run.orphans()).filter(({ command }) => command.includes("dynamic-provider"));
  const faults = (name: string, fault: object) => stage.lab.releases("PATCH", "/faults", { [name]: fault });
  const cancel = () => stage.stack.cancel();

  it("leaves a lock that names its holder after a kill in the preflight", async () => {
    await faults("node-controller", { hang: true });
    await upKilledWhen("pgrep -f [c]url.*node-controller > /dev/null");
    await faults("node-controller", {});
    const { exitCode, output } = await stage.stack.up();
    await cancel();
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(
      /^error: the stack is currently locked by 1 lock\(s\)\. Either wait for the other process\(es\) to end or delete the lock file with `pulumi cancel`\.\n {2}file:\/\/\S+\.json\S*: created by \S+@\S+ \(pid \d+\) at \d{4}-\S+$/,
    );
  });

  it("leaves the packages step running on the host", async () => {
    await onHost(stage.host, holdLock);
    await upKilledWhen("grep -qs frontend.lock /var/log/pillar-host/packages.log");
    await cancel();
    await holdStep(stage.host, true);
    expect(await onHost(stage.host, "systemctl is-active pillar-host-step")).toBe("active");
    await onHost(stage.host, "systemctl stop other-apt");
  });

  it("is followed by a run that waits for the packages and does not upgrade them again", async () => {
    await faults("node-controller", { slowBytesPerSecond: 100_000 });
    const archive = '[ -s "$(ls /root/.node-controller.*/release 2> /dev/null)" ]';
    const output = await upKilledWhen(archive, "packages");
    await holdStep(stage.host, true);
    await cancel();
    expect(output).toContain("not upgraded again");
    expect(await onHost(stage.host, "grep -c 'apt-get .* upgrade' /var/log/pillar-host/packages.log")).toBe("1");
  });

  it("is followed by a run that waits for the download and does not repeat it; no provider stays", async () => {
    const output = await upKilledWhen("grep -qs compiling /var/log/pillar-host/deploy-*.log", "controller");
    // A provider that only waits for its next call ends, too: ten seconds after its engine.
    expect(await providers()).toHaveLength(1);
    await holdStep(stage.host, true);
    await cancel();
    await expect.poll(providers, { interval: 500 }).toEqual([]);
    expect(output).toContain("installed before: sha256 ");
  });

  it("is followed by a run that waits for the deploy without repeating it; the orphaned gate ends", async () => {
    run = await stage.stack.begin();
    await run.printed(waitingFor("deploy"));
    await holdStep(stage.host, false);
    await run.printed("sync: ");
    const output = await run.kill();
    expect(await providers()).toHaveLength(1);
    await cancel();
    expect(output).toContain("deployed before, at ");
    await expect.poll(providers, { interval: 500 }).toEqual([]);
  });

  it("completes in the next up after a kill at the producer address", async () => {
    await stage.lab.chain("PATCH", "/nodes/host1", { stall: false });
    await faults("ip", { hang: true });
    await upKilledWhen("pgrep -f [n]ode-controller > /dev/null");
    await holdStep(stage.host, true);
    await faults("ip", {});
    await cancel();
    run = await stage.stack.begin();
    await until(stage.host, "[ $(ls -d /run/pillar-host/producerAddress.* | wc -l) = 2 ]");
    await holdStep(stage.host, false);
    await expectSuccess(run.end());
    await expectOnce(stage.host, stage.stack);
  });
});
