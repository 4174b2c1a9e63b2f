import { expect, it } from "vitest";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { databaseOf, onHost } from "../fixture";
import { serveNode, upgradeStage } from "./upgradeStage";

keepEngineLogs();

const { stage, upTo, up, produce, slotsSince, readRunning } = upgradeStage(1);
const missed = async () => (await slotsSince(0)).filter(({ nodes }) => nodes.length === 0).length;

it("upgrades a producing host by one line, without a missed momentum", async () => {
  await produce();
  const before = await missed();
  const output = await upTo(await serveNode(stage.lab, { version: "v0.0.10" }));
  expect(await readRunning()).toBe("go-node version v0.0.10\n1");
  expect(output).toMatch(/node: v0\.0\.10 runs now instead of v0\.0\.8; the node was down for \d+\.\d s/);
  expect(output).toContain("v0.0.8 is restored automatically");
  // The first restart is taken to need longer than a tick of this network has.
  expect((await missed()) - before).toBeLessThanOrEqual(output.includes("a momentum may be missed") ? 1 : 0);
  // It let the node close its database, and the file that has it do so stays.
  expect(await databaseOf(stage.host)).toBe("open");
  expect(await onHost(stage.host, "systemctl show -p ExecStop -p TimeoutStopUSec go-node")).toBe(
    "TimeoutStopUSec=5min",
  );
  expect(await up()).toMatch(/Resources:\s+\d+ unchanged\n/);
});
