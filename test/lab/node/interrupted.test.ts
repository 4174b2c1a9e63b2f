import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endProcess, type OwnProcess, ownProcess } from "../../../lab/hosts/machine";
import type { Lab, LabHost } from "../../../lab/lab";
import type { LabStack } from "../../../lab/stack";
import { holdLock, onHost, testLab, testStack, transcripts } from "../fixture";

/** An engine that is killed leaves its language host and plugins behind. */
async function descendants(pid: number): Promise<number[]> {
  const { stdout } = await execa("ps", ["-eo", "pid=,ppid="]);
  const pairs = stdout.split("\n").map((line) => line.trim().split(/ +/).map(Number));
  const below = (parent: number): number[] =>
    pairs.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
}

describe("an engine that is killed in the middle", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;
  const orphans: OwnProcess[] = [];

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1");
    await lab.chain("PATCH", "/nodes/host1", { buildSeconds: 20, buildLines: 200 });
    stack = await testStack(lab, host);
  });
  afterAll(async () => {
    for (const orphan of orphans) await endProcess(orphan);
    await lab?.down();
  });

  /** Runs `up`, kills it once a condition holds on the host, and tells what it had printed. */
  async function upKilledWhen(condition: string): Promise<string> {
    const log = join(lab.dir, `killed-${orphans.length}.log`);
    const file = await open(log, "w");
    const engine = stack.pulumi(["up", "--yes"], {
      stdin: "ignore",
      stdout: file.createWriteStream(),
      stderr: "ignore",
      reject: false,
    });
    const ended = once(engine, "exit");
    try {
      await onHost(host, `timeout 180 sh -c 'until ${condition}; do sleep 0.2; done'`);
      for (const pid of await descendants(engine.pid ?? 0)) {
        const own = await ownProcess(pid);
        if (own) orphans.push(own);
      }
    } finally {
      engine.kill("SIGKILL");
      await ended;
      await file.close();
    }
    return readFile(log, "utf8");
  }

  it("locks the stack, says by whom, and leaves the step to its end", async () => {
    await onHost(host, holdLock);
    await upKilledWhen("grep -qs frontend.lock /var/log/pillar-host/packages.log");
    const { exitCode, output } = await stack.up();
    expect(exitCode).not.toBe(0);
    expect(output).toContain("the stack is currently locked by 1 lock(s)");
    expect(await onHost(host, "systemctl is-active pillar-host-step")).toBe("active");
  });

  it("in the packages, is followed by an up that waits for them and goes on", async () => {
    await stack.pulumi(["cancel", "--yes"]);
    await onHost(host, "systemd-run -q --on-active=15 systemctl stop other-apt");
    const output = await upKilledWhen("grep -qs compiling /var/log/pillar-host/deploy-*.log");
    expect(output).toContain(
      "an earlier run is still at work on this host (pillar-host: packages); waiting for its end",
    );
    expect(await onHost(host, "grep -c 'apt-get .* upgrade' /var/log/pillar-host/packages.log")).toBe("1");
  });

  it("in the deploy, is followed by an up that waits for it and goes to the end", async () => {
    await stack.pulumi(["cancel", "--yes"]);
    const { exitCode, output } = await stack.up();
    expect(exitCode).toBe(0);
    expect(output).toContain("an earlier run is still at work on this host (pillar-host: deploy); waiting for its end");
    expect(output).toContain("deployed before, at ");
    const { Producer } = JSON.parse(await onHost(host, "cat /root/.znn/config.json"));
    expect((await stack.outputs()).producerAddress).toBe(Producer.Address);
    expect(await transcripts(host)).toHaveLength(1);
    expect(await onHost(host, "ls /root/.znn/wallet; crontab -l")).toBe(
      "producer\n#0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart",
    );
  });

  it("changes nothing any more once an up went to the end", async () => {
    const facts = () =>
      onHost(
        host,
        `crontab -l; dpkg -l | sha256sum; sha256sum /root/.znn/config.json /root/node-controller
         systemctl show -p MainPID,ActiveEnterTimestamp go-node; ls /var/log/pillar-host; ls /run/pillar-host`,
      );
    const before = await facts();
    expect((await stack.up()).exitCode).toBe(0);
    expect(await facts()).toBe(before);
  });
});
