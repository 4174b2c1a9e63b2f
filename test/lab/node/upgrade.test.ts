import { expect, it } from "vitest";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { databaseOf, onHost, pastPackages, reconfigure, staged } from "../fixture";
import { missedSpanMs, readSlots, type ServedRelease, serveNode } from "./release";

keepEngineLogs();

/** A network of 100 Pillars in a hurry: a tick of 30 s. */
const hurry = { momentumSeconds: 1, backgroundPillars: 99, height: 200_000 };
const network = { momentum: "1s" };
let good: ServedRelease;
let reference: string;

const stage = staged(
  () => ({ sync: { references: [reference], tolerance: 100 }, network }),
  async (lab, host) => {
    await pastPackages(lab, host);
    await lab.chain("PATCH", "/truth", hurry);
    reference = await lab.addReference("ref1");
    good = await serveNode(lab, { version: "v0.0.10" });
  },
);
const running = () => onHost(stage.host, "/usr/local/bin/go-node version | head -n 1");
const settings = () => ({ sync: { references: [reference], tolerance: 100 }, network });
const configured = (release: ServedRelease) =>
  reconfigure(stage.stack, stage.host, { ...settings(), node: { release } });
const slots = () => readSlots(stage.lab, address);
const missed = async () => (await slots()).filter(({ nodes }) => nodes.length === 0).length;
const produced = async (since: number) =>
  (await slots()).filter(({ at, nodes }) => at > since && nodes.length > 0).length;
let address: string;

it("upgrades a producing host by one line, without a missed momentum", async () => {
  expect((await stage.stack.up()).exitCode).toBe(0);
  address = await onHost(stage.host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);
  await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress: address });
  await expect.poll(() => produced(0)).toBeGreaterThan(0);
  const before = await missed();
  await configured(good);
  const { exitCode, output } = await stage.stack.up();
  expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
  expect(await running()).toBe("go-node version v0.0.10");
  expect(output).toMatch(/node: v0\.0\.10 runs now instead of v0\.0\.8; the node was down for \d+\.\d s/);
  expect(output).toContain("v0.0.8 is restored automatically");
  // The first restart is taken to need longer than a tick of this network has.
  expect((await missed()) - before).toBeLessThanOrEqual(output.includes("a momentum may be missed") ? 1 : 0);
  // It let the node close its database, and the file that has it do so stays.
  expect(await databaseOf(stage.host)).toBe("open");
  expect(await onHost(stage.host, "systemctl show -p ExecStop -p TimeoutStopUSec go-node")).toBe(
    "TimeoutStopUSec=5min",
  );
  expect((await stage.stack.up()).output).toMatch(/Resources:\s+\d+ unchanged\n/);
});

it("finds a version that a manual Deploy installed, and installs the release again", async () => {
  await onHost(
    stage.host,
    "systemctl stop go-node; cp -p /usr/local/bin/go-node.before /root/old; mv /root/old /usr/local/bin/go-node; systemctl start go-node",
  );
  await expect.poll(() => produced(Date.now() - 30_000)).toBeGreaterThan(0);
  const { exitCode, output } = await stage.stack.up();
  expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
  expect(output).toContain(
    "the installed node program, v0.0.10, was replaced by somebody, perhaps by the controller's Deploy",
  );
  expect(await running()).toBe("go-node version v0.0.10");
});

it("rolls back a version that follows a fork, and produces again within a minute", async () => {
  await configured(await serveNode(stage.lab, { version: "v0.0.11", settings: { otherChain: true } }));
  const begun = Date.now();
  const { exitCode, output } = await stage.stack.up();
  expect(exitCode).not.toBe(0);
  expect(output).toContain("not good: the node is on another chain than the references");
  expect(output).toContain(`${stage.host.address}: v0.0.11 of the node is not good, and v0.0.10 runs again`);
  expect(await running()).toBe("go-node version v0.0.10");
  const since = Date.now();
  await expect.poll(() => produced(since)).toBeGreaterThan(0);
  expect(missedSpanMs((await slots()).filter(({ at }) => at > begun))).toBeLessThan(60_000);
});

it("the host rolls the version back by itself after engine and provider were killed", async () => {
  await configured(await serveNode(stage.lab, { version: "v0.0.12", settings: { stall: true } }));
  const begun = Date.now();
  const run = await stage.stack.begin();
  await run.hears((output) => /then the new one starts/.exec(output)?.[0], "the swap", 180);
  await run.clear();
  const since = Date.now();
  await expect.poll(running, { timeout: 60_000 }).toBe("go-node version v0.0.10");
  await expect
    .poll(() => onHost(stage.host, "ls /etc/systemd/system | grep -c pillar-host-node || true"), { timeout: 30_000 })
    .toBe("0");
  await expect.poll(() => produced(since)).toBeGreaterThan(0);
  expect(missedSpanMs((await slots()).filter(({ at }) => at > begun))).toBeLessThan(60_000);
});
