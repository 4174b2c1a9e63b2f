import { expect, it } from "vitest";
import type { Lab } from "../../../lab/lab";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { expectSuccess, onHost, pastPackages, staged } from "../fixture";
import { type ServedRelease, serveNode } from "./upgradeStage";

keepEngineLogs();

let release: ServedRelease;
const prepare = async (lab: Lab) => {
  release = await serveNode(lab, { version: "v0.0.10" });
};
const stage = staged(
  () => ({ node: { release, leastVersion: "v0.0.10" } }),
  async (lab, host) => {
    await pastPackages(lab, host);
    await prepare(lab);
  },
);
const version = () => onHost(stage.host, "/usr/local/bin/go-node version | head -n 1");

it("is installed after the deploy and before the sync, and the proof names its version", async () => {
  const output = await expectSuccess(stage.stack.up());
  expect(output).toContain("node: v0.0.10 runs now instead of v0.0.8; the node was down for ");
  expect(output.indexOf("node: v0.0.10 runs")).toBeLessThan(output.indexOf("sync: synced at height"));
  expect(await version()).toBe("go-node version v0.0.10");
  expect(await onHost(stage.host, "/usr/local/bin/go-node.before version | head -n 1")).toBe("go-node version v0.0.8");
  expect(await onHost(stage.host, "systemctl show -p ExecStop -p TimeoutStopUSec go-node")).toBe(
    "TimeoutStopUSec=5min",
  );
  expect((await stage.stack.up()).output).toMatch(/Resources:\s+\d+ unchanged\n/);
});
