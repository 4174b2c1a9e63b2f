import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { preflight } from "../../../core/steps/nodeSteps.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import type { LabStack, StackFile } from "../../../lab/stack/stack.ts";
import {
  expectFailure,
  expectSuccess,
  linesOf,
  onHost,
  stackFile,
  stepOn,
  testLab,
  testStack,
  upTo,
} from "../fixture.ts";

describe("a host below the minimums", () => {
  let lab: Lab;
  let host: LabHost;
  let stack: LabStack;
  let untouched: string;

  beforeAll(async () => {
    lab = await testLab();
    host = await lab.addHost("host1");
    await host.run("crontab -", "5 4 * * * /bin/true # mine\n");
    await onHost(
      host,
      `sed -E 's/^(MemTotal: +)[0-9]+/\\12000000/' /proc/meminfo > /run/meminfo
       mount --bind /run/meminfo /proc/meminfo`,
    );
    // The kernel's word on the clock is that of the machine below.
    await onHost(host, "printf '#!/bin/sh\\necho no\\n' > /usr/bin/timedatectl");
    stack = await testStack(lab, host);
    untouched = await facts();
  });
  afterAll(async () => lab?.down());

  const facts = () =>
    onHost(
      host,
      `crontab -l; dpkg -l; ls /var/lib /var/log; sysctl net.ipv4.ip_local_reserved_ports
       find /etc /root /usr /opt /home /srv -xdev -newermt @0 -printf '%p %s %T@\n' | sort`,
    );
  const hostOf = (minimums: StackFile) => ({
    host: { provider: "existing", address: host.address, hostKey: host.hostKey, minimums },
  });
  const upWith = async (changes: StackFile) => {
    await stack.configure(stackFile(lab, host, changes), await key());
    return upTo(stack, "preflight");
  };
  const look = (changes: StackFile) => stepOn({ lab, host }, preflight, changes);
  const refusal = async (changes: StackFile, run = look) => {
    const output = await expectFailure(run(changes));
    return linesOf(output);
  };
  const key = async () => ({ "ssh.privateKey": await readFile(lab.privateKeyFile, "utf8") });

  it("is refused with found and needed, as the first words of the error: two cores are not four", async () => {
    const cores = await onHost(host, "nproc");
    const memory = Math.floor(2_000_000 / 1024);
    const lines = await refusal(hostOf({ diskGb: 1 }), upWith);
    expect(lines).toContain(
      `command:remote:Command (node-preflight):
error: ${host.address}: this host does not meet what a Pillar needs; nothing was changed on it
cores: found ${cores}, needed 4 (host.minimums.cores)
memory: found ${memory} MiB, needed 3686 MiB, what a 4 GB machine has at least (host.minimums.memoryGb)
Change the host or the configuration, then run pulumi up -s prod again.
Printed before:
warning: clock: correct at present, but nothing keeps it in sync: a Pillar with a wrong clock misses momentums (install chrony, or systemctl enable --now systemd-timesyncd)
error: error hooks execution failed: error hook "node-preflight" failed: see above
`,
    );
    expect(await facts()).toBe(untouched);
  });

  it("is refused with all shortfalls at once", async () => {
    await onHost(
      host,
      `cp /usr/lib/os-release /run/os-release
       sed -i 's/^VERSION_ID=.*/VERSION_ID="10"/' /usr/lib/os-release
       systemd-run -q --unit=squatter-tcp perl -MIO::Socket::INET -e '@k = IO::Socket::INET->new(LocalPort => 35997, Listen => 1); sleep 600'
       systemd-run -q --unit=squatter-udp perl -MIO::Socket::INET -e '@k = IO::Socket::INET->new(LocalPort => 35995, Proto => "udp"); sleep 600'
       timeout 20 sh -c 'until ss -Hltn | grep -q 35997 && ss -Hlun | grep -q 35995; do sleep 0.1; done'`,
    );
    await lab.releases("PATCH", "/faults", { "node-controller": { dateOffsetSeconds: 3600 } });
    const lines = await refusal(hostOf({ cores: 64, memoryGb: 1, diskGb: 20_000 }));
    await onHost(host, "systemctl stop squatter-tcp squatter-udp; cp -p /run/os-release /usr/lib/os-release");
    await lab.releases("PATCH", "/faults", { "node-controller": {} });
    expect(lines.replace(/-3(59|60)\d s off/, "-3600 s off").replace(/found \d+ GB/, "found FREE GB")).toContain(
      `${host.address}: this host does not meet what a Pillar needs; nothing was changed on it
distribution: found debian-10, needed one of ubuntu-22.04 debian-11 ubuntu-24.04 debian-12 debian-13 (or name it in host.acceptDistributions)
cores: found ${await onHost(host, "nproc")}, needed 64 (host.minimums.cores)
free disk at /root: found FREE GB, needed 20000 GB (host.minimums.diskGb)
clock: found -3600 s off the release server's, needed within 3 s (install chrony, or systemctl enable --now systemd-timesyncd)
port 35997/tcp: found held by perl, needed free (for go-node or the orchestrator)
port 35995/udp: found held by perl, needed free (for go-node or the orchestrator)
Change the host or the configuration, then run pulumi up -s prod again.`,
    );
  });

  it("is refused if it does not reach the release address", async () => {
    const nobody = "https://10.77.0.99/node-controller.zip";
    const lines = await refusal({
      ...hostOf({ cores: 1, memoryGb: 1, diskGb: 1 }),
      controller: { release: { url: nobody } },
    });
    expect(lines).toMatch(
      /release address https:\/\/10\.77\.0\.99\/node-controller\.zip: found curl: \(7\) .+, needed the controller's zip archive/,
    );
  });

  // test/core/steps/host/preflight.test.ts tests that each of the three is enough.
  it("is refused as a live Pillar", async () => {
    await onHost(
      host,
      `cp /lib/systemd/system/cron.service /etc/systemd/system/go-node.service; systemctl daemon-reload
       mkdir -p /root/.znn/wallet; touch /root/.znn/wallet/producer
       echo '{"Producer": {"Address": "z1q"}}' > /root/.znn/config.json`,
    );
    const before = await facts();
    const lines = await refusal(hostOf({ cores: 1, memoryGb: 1, diskGb: 1 }));
    expect(lines).toContain(
      `${host.address}: this host already has a node that this stack did not deploy. It may be your live Pillar: nothing was touched
found: the service go-node
found: the producer key store /root/.znn/wallet/producer
found: a producer configuration in /root/.znn/config.json
needed: a host without these
Is it the Pillar's present host, and this its stack? Adopt it without a change: pulumi config set --path pillar-host:lifecycle adopted -s prod && pulumi up -s prod
Is it the wrong address? pulumi config set --path pillar-host:host.address ADDRESS -s prod && pulumi up -s prod; the present host then gets a stack of its own: ./pillar-host adopt OLD ${host.address} --like prod`,
    );
    expect(await facts()).toBe(before);
    await onHost(host, "rm -rf /root/.znn /etc/systemd/system/go-node.service; systemctl daemon-reload");
  });

  it("warns about a clock without synchronisation, and passes once it meets the minimums", async () => {
    const output = await expectSuccess(upWith(hostOf({ cores: 1, memoryGb: 2, diskGb: 1 })));
    expect(output).not.toContain("error");
    expect(output).toContain("warning: clock: correct at present, but nothing keeps it in sync");
    expect(output).toMatch(/debian-11, \d+ cores, 1953 MiB memory, \d+ GB free: meets the minimums/);
  });
});
