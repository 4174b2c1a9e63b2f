import { describe, expect, it } from "vitest";
import { expectFailure, expectSuccess, holdLock, linesOf, onHost, staged } from "../fixture.ts";
import { blank, expectOnce, holdStep, until, waitingFor } from "./effects.ts";

const cancelling = "^C received; cancelling. If you would like to terminate immediately, press ^C again.";
const warning = "Attempting to deploy or update resources with 1 pending operations from previous deployment.";

describe("a run that is stopped, or loses a process", () => {
  const stage = staged(undefined, async (lab) => {
    await lab.chain("PATCH", "/nodes/host1", { buildSeconds: 8, buildLines: 100, stall: true });
  });
  const begin = () => stage.stack.begin();
  const pending = async () => {
    const { pending_operations: operations = [] } = await stage.stack.exported();
    return operations.map(({ type, resource }) => `${type} ${resource.urn.split("::").at(-1)}`);
  };

  it("stops at SIGINT after its packages step has ended, and leaves nothing", async () => {
    await onHost(stage.host, holdLock);
    const run = await begin();
    await until(stage.host, "grep -qs frontend.lock /var/log/pillar-host/packages.log");
    await run.send("SIGINT");
    await run.printed(cancelling);
    await onHost(stage.host, "systemctl stop other-apt");
    const output = await expectFailure(run.end());
    expect(output).toContain("error: update canceled");
    expect(await pending()).toEqual([]);
    expect(await onHost(stage.host, "ls /var/lib/pillar-host; systemctl is-active pillar-host-step || true")).toBe(
      "apt.conf\npackages.done\nstack\ninactive",
    );
  });

  it("prepares a disk that was set back before the deploy, and fails with the next command if its ssh connection is cut there", async () => {
    await blank(stage.host);
    const run = await begin();
    await run.printed("it carries nothing of this stack's set-up: every step runs on it");
    await until(stage.host, "grep -qs compiling /var/log/pillar-host/deploy-*.log");
    await holdStep(stage.host, true);
    await onHost(stage.host, "pkill -KILL -f [s]shd:.root@notty");
    const output = await expectFailure(run.end());
    expect(linesOf(output)).toContain(
      'error: wait: remote command exited without exit status or exit signal: running "bash -euo pipefail -s deploy # to go on: pulumi up -s prod"',
    );
    expect(await onHost(stage.host, "systemctl is-active pillar-host-step")).toBe("active");
  });

  it("stops at SIGTERM as at SIGINT, after it waited for the deploy of an earlier run", async () => {
    const run = await begin();
    await run.printed(waitingFor("deploy"));
    await run.send("SIGTERM");
    await run.printed("SIGTERM received; cancelling.");
    await holdStep(stage.host, false);
    await expectFailure(run.end());
    expect(await pending()).toEqual([]);
    expect(await onHost(stage.host, "ls /var/log/pillar-host | grep -c deploy-; ls /var/lib/pillar-host")).toContain(
      "1\napt.conf\ncontroller\ndeploy.done\n",
    );
  });

  it("ends at once at a second SIGINT at the gate, without a lock or orphans, and leaves the gate pending", async () => {
    const run = await begin();
    await run.printed("sync: ");
    await run.send("SIGINT");
    await run.printed(cancelling);
    const sent = Date.now();
    await run.send("SIGINT");
    const output = await expectFailure(run.end());
    expect(Date.now() - sent).toBeLessThan(60_000);
    expect(output).toContain("^C received; terminating");
    expect(await pending()).toEqual(["creating node-sync"]);
    await expect.poll(() => run.orphans()).toEqual([]);
  });

  it.each([
    ["dynamic-provider.cjs", true, [warning, "**creating failed**"]],
    ["pulumi-language-nodejs", false, ["sync: synced at height "]],
  ])("fails if %s is killed at the gate", async (name, isStalled, texts) => {
    const run = await begin();
    await run.printed("sync: ");
    process.kill((await run.find(name)).pid, "SIGKILL");
    await stage.lab.chain("PATCH", "/nodes/host1", { stall: isStalled });
    const output = await expectFailure(run.end());
    for (const text of texts) expect(output).toContain(text);
  });

  it("is followed by an up that completes with a warning about pending operations until a refresh", async () => {
    await expectSuccess(stage.stack.up());
    await expectOnce(stage.host, stage.stack);
    const facts = () =>
      onHost(
        stage.host,
        `crontab -l; dpkg -l | sha256sum; sha256sum /root/.znn/config.json /root/node-controller
         systemctl show -p MainPID,ActiveEnterTimestamp go-node; ls /var/log/pillar-host; ls /run/pillar-host
         grep -r . /var/lib/pillar-host`,
      );
    const before = await facts();
    const again = await stage.stack.up();
    expect(again.output).toContain("18 unchanged");
    expect(again.output).toContain(warning);
    expect(linesOf(again.output)).toContain(
      "* urn:pulumi:prod::pillar-host::pillar-host:node:PillarNode$pulumi-nodejs:sync:Gate::node-sync, interrupted while creating",
    );
    const connections = () => onHost(stage.host, "journalctl -u ssh -o cat | grep -c ^Accepted");
    const asked = await connections();
    const refresh = ["refresh", "--clear-pending-creates", "--yes"];
    const { all, exitCode } = await stage.stack.pulumi(refresh, { all: true, reject: false, stdin: "ignore" });
    expect(exitCode, String(all)).toBe(0);
    expect(await connections()).toBe(asked);
    expect(await pending()).toEqual([]);
    const clean = await stage.stack.up();
    expect(clean.output).toContain("18 unchanged");
    expect(clean.output).not.toContain("pending operations");
    expect(await facts()).toBe(before);
  });
});
