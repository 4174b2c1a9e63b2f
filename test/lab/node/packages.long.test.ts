import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import type { LabStack } from "../../../lab/stack/stack.ts";
import { expectSuccess, holdLock, onHost, reconfigure, testLab, testStack, upTo } from "../fixture.ts";

describe("the packages", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1");
    stack = await testStack(lab, host);
  });
  afterAll(async () => lab?.down());

  const up = () => upTo(stack, "preflight", "prepare", "packages");

  it("wait for a lock and name its holder, wait for systemd's own upgrade, and report a required reboot", async () => {
    await onHost(
      host,
      `${holdLock}; touch /var/run/reboot-required; echo linux-image-amd64 > /var/run/reboot-required.pkgs`,
    );
    const pid = await onHost(host, "systemctl show -p MainPID --value other-apt");
    const running = up();
    await onHost(
      host,
      "timeout 300 sh -c 'until grep -qs frontend.lock /var/log/pillar-host/packages.log; do sleep 0.2; done'",
    );
    await onHost(host, "for i in $(seq 10); do systemctl daemon-reexec; done; sleep 4; systemctl stop other-apt");
    const output = await expectSuccess(running);
    expect(output).not.toContain("error");
    expect(output).toMatch(
      new RegExp(`unfinished installations: another package manager holds the lock; waiting: .*\\b${pid}\\b`),
    );
    expect(output).toContain("installing unzip wget git perl file: done in");
    expect(output).toContain(
      "note: the upgrade asks for a reboot (linux-image-amd64). Nothing was rebooted; the best moment is while the node still syncs.",
    );
  });

  it("do not restart the node when they are upgraded", async () => {
    expect(await onHost(host, "cat /etc/needrestart/conf.d/90-pillar-host.conf")).toBe(
      `# The node and the orchestrator are restarted by their operator only (pillar-host).
$nrconf{override_rc}{qr(^go-node\\.service$)} = 0;
$nrconf{override_rc}{qr(^orchestrator\\.service$)} = 0;`,
    );
    expect(
      await onHost(
        host,
        "perl -e 'our %nrconf; do $ARGV[0]; die $@ if $@' /etc/needrestart/conf.d/90-pillar-host.conf",
      ),
    ).toBe("");
    expect(await onHost(host, "apt-config dump Unattended-Upgrade::Automatic-Reboot")).toBe(
      'Unattended-Upgrade::Automatic-Reboot "false";',
    );
  });

  it("do not change after this step", async () => {
    const facts = () =>
      onHost(
        host,
        "cat /var/lib/pillar-host/packages.done; stat -c %Y /var/log/dpkg.log /var/lib/apt/lists /var/log/pillar-host/packages.log",
      );
    const before = await facts();
    await reconfigure(stack, host, { sync: { hourlyRestart: false } });
    const output = await expectSuccess(up());
    expect(output).not.toContain("error");
    expect(output).toContain("not upgraded again");
    expect(await facts()).toBe(before);
  });
});
