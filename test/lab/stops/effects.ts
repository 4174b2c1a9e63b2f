import { expect } from "vitest";
import type { LabHost } from "../../../lab/lab.ts";
import type { LabStack } from "../../../lab/stack/stack.ts";
import { onHost, transcripts } from "../fixture.ts";

/** Waits on the host until a shell condition holds. */
export function until(host: LabHost, condition: string): Promise<string> {
  return onHost(host, `timeout 180 bash -c 'until ${condition}; do sleep 0.1; done'`);
}

/** Leaves nothing of a stack on a host but its ssh keys, as a restored snapshot of the blank disk does. */
export async function blank(host: LabHost): Promise<void> {
  await onHost(
    host,
    `systemctl stop go-node 2> /dev/null || true
     rm -rf /var/lib/pillar-host /var/log/pillar-host /root/.znn /root/go-znn /root/node-controller* /etc/systemd/system/go-node.service*
     find /etc /usr/local -name '90*pillar-host*' -delete; crontab -r 2> /dev/null || true; systemctl daemon-reload`,
  );
}

/** Returns what an `up` says of a step that an earlier one left at work. */
export function waitingFor(step: string): string {
  return `an earlier run is still at work on this host (pillar-host: ${step}); waiting until it has finished`;
}

/**
 * Holds back the end of the active step on the host, so that the next run meets it; or lets it end. Stops its main
 * process only: a `script` whose child is stopped never continues.
 */
export async function holdStep(host: LabHost, held: boolean): Promise<void> {
  await onHost(host, `systemctl kill --kill-who=main -s ${held ? "STOP" : "CONT"} pillar-host-step`);
}

/** Asserts that an interrupted stand-up had every effect exactly once. */
export async function expectOnce(host: LabHost, stack: LabStack, deploys = 1): Promise<void> {
  const { Producer } = JSON.parse(await onHost(host, "cat /root/.znn/config.json"));
  expect((await stack.outputs()).producerAddress).toBe(Producer.Address);
  expect(await onHost(host, "ls -A /root | grep node-controller")).toBe("node-controller");
  expect(await transcripts(host)).toHaveLength(deploys);
  expect(await onHost(host, "ls /root/.znn/wallet; crontab -l")).toBe(
    "producer\n#0 * * * * /usr/bin/sudo /usr/sbin/service go-node restart",
  );
  expect(await onHost(host, "systemctl is-active go-node; dpkg --audit; ls /run/pillar-host")).toBe("active");
  expect(await onHost(host, "ls /var/lib/pillar-host")).toBe(
    ["apt.conf", "controller", "deploy.done", "deploy.started", "packages.done", "stack", "synced"].join("\n"),
  );
}
