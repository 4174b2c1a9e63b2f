import { describe, expect, it } from "vitest";
import type { Run } from "../../../lab/stack/engineRun.ts";
import { expectFailure, expectSuccess, linesOf, onHost, staged, transcripts } from "../fixture.ts";
import { blank, expectOnce, until } from "./effects.ts";

/** A package that is unpacked and takes its time to be configured. */
const slowPackage = `mkdir -p /tmp/slow/DEBIAN && cd /tmp/slow/DEBIAN
  printf 'Package: slow\\nVersion: 1\\nArchitecture: all\\nMaintainer: lab\\nDescription: slow\\n' > control
  printf '#!/bin/sh\\necho begun >> /root/slow.log; sleep 10; echo configured >> /root/slow.log\\n' > postinst
  chmod 755 postinst; dpkg-deb -b /tmp/slow /tmp/slow.deb > /dev/null; dpkg --unpack /tmp/slow.deb > /dev/null`;

describe("a host that goes down during a run", () => {
  const stage = staged(undefined, async (lab, host) => {
    await lab.chain("PATCH", "/nodes/host1", { buildSeconds: 10, buildLines: 100, stall: true });
    await onHost(host, slowPackage);
  });
  const begin = () => stage.stack.begin();
  const powerCut = async () => {
    await stage.host.stop({ powerCut: true });
    await stage.host.start();
  };
  /** Expects a run that lost the host in a step to fail with the next command, or with the words of the step itself. */
  const lost = async (run: Run, step: string, ownWords?: string) => {
    const output = await expectFailure(run.end());
    const line = linesOf(output)
      .split("\n")
      .find((text) => text.startsWith("error: ") && text.includes(step));
    const lostWords = `running "bash -euo pipefail -s ${step} # to go on: pulumi up -s prod"`;
    expect([lostWords, ownWords].filter((words) => words && line?.includes(words))).toHaveLength(1);
  };

  it("has a half-configured package after a power cut in the packages", async () => {
    const run = await begin();
    await until(stage.host, "[ -e /root/slow.log ]");
    await powerCut();
    await lost(run, "packages");
    expect(await onHost(stage.host, "dpkg --audit; cat /root/slow.log; ls /var/lib/pillar-host")).toMatch(
      / slow [\s\S]*\nbegun\napt\.conf\nstack$/,
    );
  });

  it("has its packages repaired by the up before a power cut in the download", async () => {
    await stage.lab.releases("PATCH", "/faults", { "node-controller": { slowBytesPerSecond: 100_000 } });
    const run = await begin();
    await until(stage.host, '[ -s "$(ls /root/.node-controller.*/release 2> /dev/null)" ]');
    await powerCut();
    await stage.lab.releases("PATCH", "/faults", { "node-controller": {} });
    await lost(run, "controller");
    expect(await onHost(stage.host, "dpkg --audit; cat /root/slow.log; ls /var/lib/pillar-host")).toBe(
      "begun\nbegun\nconfigured\napt.conf\npackages.done\nstack",
    );
  });

  it("has the controller downloaded again before a reboot in the deploy", async () => {
    const run = await begin();
    await until(stage.host, "grep -qs compiling /var/log/pillar-host/deploy-*.log");
    expect(await onHost(stage.host, "ls -A /root | grep node-controller")).toBe("node-controller");
    // systemd stops the step and sshd at the same time: the step's last words may arrive before the connection ends.
    await Promise.all([stage.host.reboot(), lost(run, "deploy", "deploy was stopped before it finished")]);
    expect(await transcripts(stage.host)).toHaveLength(1);
  });

  it("is completed by the same up after a power cut in the sync", async () => {
    const run = await begin();
    await run.printed("sync: ");
    await powerCut();
    await stage.lab.chain("PATCH", "/nodes/host1", { stall: false });
    const output = await expectSuccess(run.end());
    // The printed line depends on whether a lookup falls into the outage or waits until the host is back.
    expect(output).toMatch(
      /sync: (no answer from the node yet: |the ssh connection to \S+ had ended, and was made anew)/,
    );
    await expectOnce(stage.host, stage.stack, 2);
    expect(await onHost(stage.host, "cat /root/slow.log")).toBe("begun\nbegun\nconfigured");
  });

  it("is set up again after its disk was set back, with another key, and then unchanged", async () => {
    type Outputs = { producerAddress: string; sync: { syncedAt: string }; nextStep: string[] };
    const before = await stage.stack.outputs<Outputs>();
    await expectSuccess(stage.stack.up());
    await blank(stage.host);
    const previewed = await expectSuccess(stage.stack.preview());
    const output = await expectSuccess(stage.stack.up());
    for (const text of [previewed, output])
      expect(linesOf(text)).toContain(
        `${stage.host.address}: this host is not the one that was set up
found: neither /var/lib/pillar-host/deploy.done nor the unit go-node, and the same host key: its disk was set back or installed anew
This run sets it up again. Its node gets a new producer key: the key before was on the lost disk.`,
      );
    expect(output).toContain("sync: synced at height");
    await expectOnce(stage.host, stage.stack);
    const after = await stage.stack.outputs<Outputs>();
    expect(after.producerAddress).toBe(
      JSON.parse(await onHost(stage.host, "cat /root/.znn/config.json")).Producer.Address,
    );
    expect(after.producerAddress).not.toBe(before.producerAddress);
    expect(after.sync.syncedAt > before.sync.syncedAt).toBe(true);
    expect(after.nextStep).toContain(`  3. Producer address field: ${after.producerAddress}`);
    const again = await expectSuccess(stage.stack.up());
    expect(again).toContain("18 unchanged");
    expect(again).not.toContain("is not the one that was set up");
  });
});
