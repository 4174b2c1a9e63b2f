import { expect, it } from "vitest";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { expectFailure, onHost } from "../fixture";
import { missedSpanMs, serveNode, upgradeStage } from "./upgradeStage";

keepEngineLogs();

const { stage, configure, upTo, up, produce, slotsSince, countProduced, readRunning } = upgradeStage(1);

/** Waits until v0.0.10 produces again, less than a minute after the first missed slot. */
async function expectProduction(begun: number): Promise<void> {
  const since = Date.now();
  await expect.poll(readRunning, { timeout: 60_000 }).toBe("go-node version v0.0.10\n1");
  await expect.poll(() => countProduced(since)).toBeGreaterThan(0);
  expect(missedSpanMs(await slotsSince(begun))).toBeLessThan(60_000);
}

it("finds a version that a manual Deploy installed, and installs the release again", async () => {
  await produce();
  await upTo(await serveNode(stage.lab, { version: "v0.0.10" }));
  await onHost(
    stage.host,
    "systemctl stop go-node; cp -p /usr/local/bin/go-node.before /root/old; mv /root/old /usr/local/bin/go-node; systemctl start go-node",
  );
  await expect.poll(() => countProduced(Date.now() - 30_000)).toBeGreaterThan(0);
  expect(await up()).toContain(
    "the installed node program, v0.0.10, was replaced by somebody, perhaps by the controller's Deploy",
  );
  expect(await readRunning()).toBe("go-node version v0.0.10\n1");
});

it("rolls back a version that follows a fork, and produces again within a minute", async () => {
  await configure(await serveNode(stage.lab, { version: "v0.0.11", settings: { otherChain: true } }));
  const begun = Date.now();
  const output = await expectFailure(stage.stack.up());
  expect(output).toContain("not good: the node is on another chain than the references");
  expect(output).toContain(`${stage.host.address}: v0.0.11 of the node is not good, and v0.0.10 runs again`);
  await expectProduction(begun);
});

it("the host rolls the version back by itself after engine and provider were killed", async () => {
  await configure(await serveNode(stage.lab, { version: "v0.0.12", settings: { stall: true } }));
  const begun = Date.now();
  const run = await stage.stack.begin();
  await run.hears((output) => /then the new one starts/.exec(output)?.[0], "the swap", 180);
  await run.clear();
  await expectProduction(begun);
  await expect
    .poll(() => onHost(stage.host, "ls /etc/systemd/system | grep -c pillar-host-node || true"), { timeout: 30_000 })
    .toBe("0");
});
