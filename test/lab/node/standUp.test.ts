import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBaseImage } from "../../../lab/images/baseImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import type { LabStack } from "../../../lab/stack/stack.ts";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs.ts";
import { expectSuccess, onHost, stackFile, testLab, testStack } from "../fixture.ts";

keepEngineLogs();

const cronLine = "0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart";

describe("procedure A on a blank host", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;
  let previewed: { exitCode: number; output: string; quiet: boolean };
  let first: { exitCode: number; output: string; connections: number };

  beforeAll(async () => {
    lab = await testLab();
    // The other files have Debian 11.
    host = await lab.addHost("host1", () => ensureBaseImage("debian-12"));
    await host.run("crontab -", "MAILTO=ops@example.org\n  5 4 * * * /bin/true # mine\n#0 0 * * * off\n");
    // Also the test of what an operator has: processes of their own for each run.
    stack = await testStack(lab, host, {}, "prod", { isCold: true });
    const before = await logins();
    previewed = { ...(await stack.preview()), quiet: (await logins()) === before };
    first = { ...(await stack.up()), connections: -before };
    first.connections += await logins();
  });
  afterAll(async () => lab?.down());

  const logins = async () => Number(await onHost(host, "journalctl -u ssh -o cat | grep -c ^Accepted"));
  const facts = async () => ({
    crontab: await onHost(host, "crontab -l"),
    packages: await onHost(host, "dpkg -l | sha256sum"),
    config: await onHost(host, "cat /root/.znn/config.json"),
    node: await onHost(host, "systemctl show -p MainPID,ActiveEnterTimestamp go-node"),
    controller: await onHost(host, "sha256sum /root/node-controller; stat -c %Y /root/node-controller"),
    state: await onHost(host, "cd /var/lib/pillar-host && grep -r . . | sort"),
  });

  it("is previewed without touching the host", async () => {
    expect(previewed).toMatchObject({ exitCode: 0, quiet: true });
    expect(previewed.output).toContain("+ 18 to create");
  });

  it("ends with the producer address that the node's configuration holds", async () => {
    expect(first.output).not.toContain("error");
    expect(first.exitCode).toBe(0);
    const outputs = await stack.outputs<{
      producerAddress: string;
      nextStep: string[];
      sync: Record<string, unknown>;
    }>();
    const config = JSON.parse(await onHost(host, "cat /root/.znn/config.json"));
    expect(outputs.producerAddress).toBe(config.Producer.Address);
    expect(outputs.producerAddress).toMatch(/^z1q[qpzr][02-9ac-hj-np-z]{36}$/);
    expect(outputs.nextStep).toContain(`  3. Producer address field: ${outputs.producerAddress}`);
    const { state, currentHeight, targetHeight, durationSeconds } = outputs.sync;
    expect(state).toBe(2);
    expect(currentHeight).toBeGreaterThanOrEqual(targetHeight as number);
    expect(durationSeconds).toBeGreaterThan(0);
  });

  it("does not show the address before the gate", () => {
    const address = first.output.search(/z1q[qpzr]/);
    expect(address).toBeGreaterThan(first.output.indexOf("sync: synced at height"));
  });

  it("leaves the host as procedure A wants it", async () => {
    expect(await onHost(host, "systemctl is-active go-node; systemctl is-enabled go-node")).toBe("active\nenabled");
    expect(await onHost(host, "ls /root | grep node-controller")).toBe("node-controller");
    expect(await onHost(host, "command -v unzip wget")).toBe("/usr/bin/unzip\n/usr/bin/wget");
    // Debian has no package of this name; without git Deploy installs hundreds of packages, a mail server among them.
    expect(await onHost(host, "dpkg -s linux-kernel-headers git | grep -c '^Status: install ok installed'")).toBe("2");
    expect(await onHost(host, "dpkg-query -W git-all 2>&1 || true")).toContain("no packages found");
    expect(await onHost(host, "sysctl -n net.ipv4.ip_local_reserved_ports")).toBe("35995,35997-35998,55000,55055");
    expect(await onHost(host, "cat /etc/sysctl.d/90-pillar-host.conf")).toContain(
      "ip_local_reserved_ports = 35995,35997-35998,55000,55055",
    );
    expect(await onHost(host, "systemctl show -p ExecStop -p TimeoutStopUSec go-node")).toBe("TimeoutStopUSec=5min");
    expect(await onHost(host, "find /root -name '.node-controller*'; ls /run/pillar-host")).toBe("");
  });

  it("comments the hourly restart out and keeps every other line byte for byte", async () => {
    expect(await onHost(host, "crontab -l")).toBe(
      `MAILTO=ops@example.org\n  5 4 * * * /bin/true # mine\n#0 0 * * * off\n#${cronLine}`,
    );
  });

  it("had the hourly restart while it synced", () => {
    expect(first.output.indexOf("hourly restart: on")).toBeGreaterThan(0);
    expect(first.output.indexOf("hourly restart: on")).toBeLessThan(first.output.indexOf("deploying:"));
  });

  it("opens a connection for each of eight steps, and few others", () => {
    // A step that takes more than five seconds has one more, to follow its output.
    const slow = new Set(first.output.match(/remote:Command +\S+ +created \(([5-9]|\d\d+)s\)/g));
    expect(first.connections).toBeLessThanOrEqual(12 + slow.size);
  });

  it("is shown by status over one connection", async () => {
    const before = await logins();
    expect(await stack.cli(["status", "prod"])).toContain("synced");
    expect((await logins()) - before).toBe(1);
  });

  it("changes nothing when run again", async () => {
    const [before, connections] = [await facts(), await logins()];
    const again = await expectSuccess(stack.up());
    expect(again).toContain("18 unchanged");
    expect((await logins()) - connections).toBe(1);
    expect(await facts()).toEqual(before);
  });

  it("restarts, redeploys and upgrades nothing when the configuration changes", async () => {
    const before = await facts();
    const changed = stackFile(lab, host, {
      sync: { confirmations: 5, hourlyRestart: false, deadline: "3d" },
      ssh: { port: 22, user: "root" },
      host: { provider: "existing", address: host.address, hostKey: host.hostKey, minimums: { cores: 99 } },
    });
    await stack.configure(changed, { "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") });
    const again = await stack.up();
    expect(again.output).not.toContain("error");
    expect(again.exitCode).toBe(0);
    expect(again.output).toMatch(/\d updated/);
    expect(again.output).not.toMatch(/replaced|deleted/);
    expect(await facts()).toEqual(before);
  });

  it("does nothing on the host when the state is lost and the stack begins anew", async () => {
    const before = await facts();
    const anew = await testStack(lab, host, {}, "prod-again");
    expect((await anew.up()).output).toContain("this host belongs to another stack");
    expect(await facts()).toEqual(before);
  });

  it("leaves no secret in state, history, output or transcript", async () => {
    const config = JSON.parse(await onHost(host, "cat /root/.znn/config.json"));
    const password: string = config.Producer.Password;
    const key = (await readFile(lab.privateKeyFile, "utf8")).trim();
    const secrets = [
      password,
      JSON.stringify(password).slice(1, -1),
      ...key.split("\n").filter((line) => !line.startsWith("-----")),
    ];
    const state = await stack.written();
    const verbose = await stack.pulumi(["up", "--yes", "--logtostderr", "-v=7"], { all: true, reject: false });
    const transcript = await onHost(host, "cat /var/log/pillar-host/* /var/lib/pillar-host/*");
    const places = { state, output: first.output, verbose: String(verbose.all), transcript };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(100);
      for (const secret of secrets) expect(text.includes(secret), `${place} holds a secret`).toBe(false);
    }
    expect(password.length).toBeGreaterThan(8);
  });
});
