import { existsSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Lab, LabHost } from "../../../lab/lab";
import { onHost, testLab } from "../fixture";

const main = join(import.meta.dirname, "../../../lab/main.ts");
const release = "https://releases.pillar-lab.test/node-controller.zip";

describe("faults by command", () => {
  let lab: Lab;
  let host: LabHost;

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1");
    await lab.addReference("ref1");
  });
  afterAll(async () => lab?.down());

  const run = async (...args: string[]) => {
    const { all } = await execa("tsx", [main, ...args], { all: true, reject: false, preferLocal: true });
    return all;
  };
  const fault = (...args: string[]) => run("fault", "-l", lab.name, ...args);
  const download = async () => (await host.run(`curl -sS -m 3 -o /dev/null ${release}`)).exitCode;
  const [connectionFailed, timedOut] = [7, 28];

  it("list the faults of an existing host or reference", async () => {
    expect(await fault("host1", "fulldisk")).toMatch(/^there is no fault fulldisk\n/);
    expect(await fault("host1", "slow", "20")).toBe("slow: found 20, needed a duration such as 20s");
    expect(await fault("host2", "list")).toBe(`lab ${lab.name} has no host host2 (it has: host1)`);
    expect(await fault("host1", "list")).toBe("host1: nothing is wrong");
    expect(await fault("host1", "heal")).toBe("host1: nothing was wrong");
  });

  it("hold the package lock until it is healed", async () => {
    await fault("host1", "package-lock");
    expect(await fault("host1", "list")).toBe("host1: package-lock");
    expect((await host.run("apt-get install")).stderr).toContain("Could not get lock /var/lib/dpkg/lock-frontend");
    expect(await fault("host1", "heal", "package-lock")).toBe("host1: healed package-lock");
    await onHost(host, "apt-get install");
  });

  it("cut the route to the release server, and heal it on a host that is down too", async () => {
    await fault("host1", "no-route");
    expect(await download()).toBe(connectionFailed);
    await fault("host1", "no-route", "silent");
    expect(await download()).toBe(timedOut);
    await host.stop({ powerCut: true });
    expect(await fault("host1", "heal")).toBe("host1: healed no-route");
    expect(await fault("host1", "frozen")).toBe("frozen: the machine is not running");
    await host.start();
    expect(await download()).toBe(0);
  });

  it("last for the given time", async () => {
    const cut = fault("host1", "ssh-cut", "silent", "--for", "8s");
    const [ssh = "", ...args] = lab.ssh("host1", ["true"]);
    // A connection that is begun just before would hang, and then succeed.
    const connects = async () => (await execa(ssh, args, { reject: false, timeout: 3000 })).exitCode === 0;
    await expect.poll(connects, { timeout: 20_000 }).toBe(false);
    expect(await cut).toBe("host1: ssh-cut is on, for 8s\nhost1: healed ssh-cut");
    expect(await connects()).toBe(true);
  });

  it("apply to references, which end with the lab", async () => {
    expect(await run("list")).toContain(`${lab.name}  ref1  ${lab.referenceUrl("ref1")}  reference`);
    await fault("ref1", "lying-height", "77");
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ledger.getFrontierMomentum", params: [] });
    const ask = ["curl", "-sS", "-m", "5", "-H", "content-type: application/json", "-d", body];
    await expect
      .poll(async () => JSON.parse((await lab.run([...ask, lab.referenceUrl("ref1")])).stdout).result.height, {
        timeout: 10_000,
      })
      .toBe(77);
    await lab.down();
    expect((await execa("pgrep", ["-f", lab.dir], { reject: false })).stdout).toBe("");
    expect(existsSync(lab.dir)).toBe(false);
  });
});
