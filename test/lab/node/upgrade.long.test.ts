import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Slot } from "../../../lab/doubles/chain";
import type { NodeBuild } from "../../../lab/doubles/node/logLines";
import type { StackFile } from "../../../lab/stack/stack";
import {
  databaseOf,
  expectFailure,
  expectSuccess,
  onHost,
  pastPackages,
  reconfigure,
  serveNode,
  staged,
} from "../fixture";
import { until } from "../stops/effects";

// A Pillar with one slot in each tick of a network of 100 Pillars in a hurry. Each test continues from the previous one.
let reference = "";
let address = "";
let release: StackFile;
const settings = () => ({
  node: { release },
  sync: { references: [reference], tolerance: 100 },
  network: { momentum: "1s", tickMomentums: 12 },
});
const stage = staged(settings, async (lab, host) => {
  await pastPackages(lab, host);
  await lab.chain("PATCH", "/truth", { momentumSeconds: 1, tickMomentums: 12, backgroundPillars: 99, height: 200_000 });
  reference = await lab.addReference("ref1");
  release = await serveNode(lab, { version: "v0.0.9" });
});

/** Returns the host's slots on the chain, in the order of time. */
async function slotsSince(since: number): Promise<Slot[]> {
  const slots = await stage.lab.chain<Slot[]>("GET", "/production");
  return slots.filter(({ producer, at }) => producer === address && at > since);
}
const countProduced = async (since: number) => (await slotsSince(since)).filter(({ nodes }) => nodes.length > 0).length;
const missedSince = async (since: number) => (await slotsSince(since)).filter(({ nodes }) => nodes.length === 0);

async function configure(build: NodeBuild): Promise<void> {
  release = await serveNode(stage.lab, build);
  await reconfigure(stage.stack, stage.host, settings());
}

const readRunning = () => onHost(stage.host, "/usr/local/bin/go-node version | head -n 1; pgrep -cx go-node");

/** Waits until v0.0.10 produces again, less than a minute of the chain after the first missed slot, and one node did. */
async function expectProduction(begun: number): Promise<void> {
  await expect.poll(readRunning, { timeout: 60_000 }).toBe("go-node version v0.0.10\n1");
  const since = Date.now();
  await expect.poll(() => countProduced(since)).toBeGreaterThan(0);
  const missed = await missedSince(begun);
  expect((missed.at(-1)?.at ?? 0) - (missed[0]?.at ?? 0)).toBeLessThan(60_000);
  expect((await slotsSince(begun)).filter(({ nodes }) => nodes.length > 1)).toEqual([]);
}

it("is installed after the deploy and before the sync", async () => {
  const output = await expectSuccess(stage.stack.up());
  expect(output).toContain("node: v0.0.9 runs now instead of v0.0.8; the node was down for ");
  expect(output.indexOf("node: v0.0.9 runs")).toBeLessThan(output.indexOf("sync: synced at height"));
  expect(await readRunning()).toBe("go-node version v0.0.9\n1");
  expect(await onHost(stage.host, "/usr/local/bin/go-node.before version | head -n 1")).toBe("go-node version v0.0.8");
});

it("upgrades a producing host by one line, without a missed momentum", async () => {
  address = await onHost(stage.host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);
  await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress: address });
  await expect.poll(() => countProduced(0)).toBeGreaterThan(0);
  const before = await missedSince(0);
  await configure({ version: "v0.0.10" });
  const output = await expectSuccess(stage.stack.up());
  expect(await readRunning()).toBe("go-node version v0.0.10\n1");
  expect(output).toMatch(/node: v0\.0\.10 runs now instead of v0\.0\.9; the node was down for \d+\.\d s/);
  expect(output).toContain("v0.0.9 is restored automatically");
  // The first restart is taken to need longer than a tick of this network has.
  const added = (await missedSince(0)).length - before.length;
  expect(added).toBeLessThanOrEqual(output.includes("a momentum may be missed") ? 1 : 0);
  // It let the node close its database, and the file that has it do so stays.
  expect(await databaseOf(stage.host)).toBe("open");
  expect(await onHost(stage.host, "systemctl show -p ExecStop -p TimeoutStopUSec go-node")).toBe(
    "TimeoutStopUSec=5min",
  );
  expect(await expectSuccess(stage.stack.up())).toMatch(/Resources:\s+\d+ unchanged\n/);
});

it("finds a version that a manual Deploy installed, and installs the release again", async () => {
  await onHost(
    stage.host,
    "systemctl stop go-node; cp -p /usr/local/bin/go-node.before /root/old; mv /root/old /usr/local/bin/go-node; systemctl start go-node",
  );
  await expect.poll(() => countProduced(Date.now() - 30_000)).toBeGreaterThan(0);
  expect(await expectSuccess(stage.stack.up())).toContain(
    "the installed node program, v0.0.10, was replaced by somebody, perhaps by the controller's Deploy",
  );
  expect(await readRunning()).toBe("go-node version v0.0.10\n1");
});

it("rolls back a version that follows a fork, and produces again within a minute", async () => {
  await configure({ version: "v0.0.11", settings: { otherChain: true } });
  const begun = Date.now();
  const output = await expectFailure(stage.stack.up());
  expect(output).toContain("not good: the node is on another chain than the references");
  expect(output).toContain(`${stage.host.address}: v0.0.11 of the node is not good, and v0.0.10 runs again`);
  await expectProduction(begun);
});

it("the host rolls the version back by itself after engine and provider were killed", async () => {
  await configure({ version: "v0.0.12", settings: { stall: true } });
  const begun = Date.now();
  const run = await stage.stack.begin();
  await run.hears((output) => /then the new one starts/.exec(output)?.[0], "the swap", 180);
  await run.clear();
  await stage.stack.cancel();
  await expectProduction(begun);
  await expect
    .poll(() => onHost(stage.host, "ls /etc/systemd/system | grep -c pillar-host-node || true"), { timeout: 30_000 })
    .toBe("0");
});

it("rolls the version back after a power cut right after the swap", async () => {
  await configure({ version: "v0.0.13", settings: { stall: true } });
  const held = "/run/held";
  const wrapper = "usr/local/sbin/mv";
  const hold = `/bin/mv "$@"; sync; : > ${held}; while [ -e ${held} ]; do sleep 0.1; done; exit`;
  const script = `#!/bin/bash\ncase "$*" in *.next\\ *) ${hold} ;; esac\nexec /bin/mv "$@"\n`;
  await stage.host.run(`cat > /${wrapper}; chmod 755 /${wrapper}`, script);
  const begun = Date.now();
  const run = await stage.stack.begin();
  await until(stage.host, `[ -e ${held} ]`);
  await stage.host.stop({ powerCut: true });
  await rm(join(stage.host.root, wrapper), { force: true });
  await stage.host.start();
  const output = await expectFailure(run.end());
  expect(output).toContain("v0.0.13 of the node is not good, and v0.0.10 runs again");
  expect(output).toContain("found: the host rebooted before the verdict");
  await expectProduction(begun);
});

it("the next run upgrades the host to a version that works", async () => {
  await configure({ version: "v0.0.14" });
  await expectSuccess(stage.stack.up());
  expect(await readRunning()).toBe("go-node version v0.0.14\n1");
  const since = Date.now();
  await expect.poll(() => countProduced(since)).toBeGreaterThan(0);
});
