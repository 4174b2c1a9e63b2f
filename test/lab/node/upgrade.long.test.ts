import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ChainTruth, Slot } from "../../../lab/doubles/chain/index.ts";
import type { NodeBuild } from "../../../lab/doubles/node/logLines.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import type { LabHost } from "../../../lab/lab.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import { awaitProduction } from "../../../lab/operator/wallet.ts";
import type { StackFile } from "../../../lab/stack/stack.ts";
import { cli } from "../cli/fixture.ts";
import {
  databaseOf,
  expectFailure,
  expectSuccess,
  missedByNodes,
  onHost,
  pastPackages,
  reconfigure,
  serveNode,
  staged,
} from "../fixture.ts";
import { traceOf } from "../retirement/stage.ts";
import { until } from "../stops/effects.ts";

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
/** Returns the slots that an address missed, without those during a stall of this machine. */
const missedSince = async (since: number, by = address) =>
  missedByNodes(await stage.lab.chain<ChainTruth>("GET", "/truth")).filter(
    ({ producer, at }) => producer === by && at > since,
  );

async function configure(build: NodeBuild): Promise<void> {
  release = await serveNode(stage.lab, build);
  await reconfigure(stage.stack, stage.host, settings());
}

/**
 * Slots that an upgrade may cost. The first restart is taken to need longer than a tick of this network has, so it comes
 * at any time, and takes seconds until the node has its peers: the end of a tick and the beginning of the next one.
 */
const mostMissed = (output: string) => (output.includes("a momentum may be missed") ? 2 : 0);

const readRunning = () => onHost(stage.host, "/usr/local/bin/go-node version | head -n 1; pgrep -cx go-node");

/** Waits until v0.0.10 produces again, soon after the first missed slot, and one node did. */
async function expectProduction(begun: number): Promise<void> {
  await expect.poll(readRunning).toBe("go-node version v0.0.10\n1");
  const since = Date.now();
  await expect.poll(() => countProduced(since)).toBeGreaterThan(0);
  const missed = await missedSince(begun);
  expect((missed.at(-1)?.at ?? 0) - (missed[0]?.at ?? 0)).toBeLessThan(240_000);
  expect((await slotsSince(begun)).filter(({ nodes }) => nodes.length > 1)).toEqual([]);
}

it("is installed after the deploy and before the sync", async () => {
  const output = await expectSuccess(stage.stack.up());
  expect(output).toContain("node: v0.0.9 runs now instead of v0.0.8; the node was down for ");
  expect(output.indexOf("node: v0.0.9 runs")).toBeLessThan(output.indexOf("sync: synced at height"));
  expect(await readRunning()).toBe("go-node version v0.0.9\n1");
  expect(await onHost(stage.host, "/usr/local/bin/go-node.before version | head -n 1")).toBe("go-node version v0.0.8");
});

let old: LabHost;
const tool = (...args: string[]) => cli(stage.stack, args, { PULUMI_SKIP_CONFIRMATIONS: "true" });

describe("an adopted host that produces", () => {
  let own = "";
  const run = (...args: string[]) => stage.stack.run(args, { all: true, reject: false });
  const up = async () => {
    const { exitCode, all } = await run("up", "-s", "old", "--yes", "--skip-preview", "--non-interactive");
    return { exitCode, output: String(all) };
  };

  it("keeps its version when it is adopted like a stack with another one", async () => {
    const { lab } = stage;
    old = await lab.addHost("old", ensurePackagedImage);
    own = (await setUpSyncedNode(lab, old)).address;
    await lab.chain("PATCH", "/pillars/Anvil", { producerAddress: own });
    await awaitProduction(lab, own);
    const before = await traceOf(old);
    const adopted = await tool("adopt", "old", old.address, "--like", "prod", "--host-key", old.hostKey, "--", "--yes");
    await expectSuccess(adopted);
    expect(await traceOf(old)).toBe(before);
  });

  it("is upgraded by node.release, and nothing else on it changes", async () => {
    const before = (await traceOf(old)).split("\n");
    for (const [key, value] of Object.entries(await serveNode(stage.lab, { version: "v0.0.16" })))
      await run("config", "set", "--path", `pillar-host:node.release.${key}`, String(value), "-s", "old");
    const preview = await run("preview", "-s", "old", "--non-interactive");
    expect(String(preview.all)).toContain('With "yes" the node of this host is upgraded from v0.0.8 to v0.0.16');
    expect(await traceOf(old)).toBe(before.join("\n"));
    const begun = Date.now();
    const output = await expectSuccess(up());
    expect((await missedSince(begun, own)).length).toBeLessThanOrEqual(mostMissed(output));
    expect(output).toMatch(/node: v0\.0\.16 runs now instead of v0\.0\.8; the node was down for \d+\.\d s/);
    const changed = (await traceOf(old)).split("\n").filter((line) => !before.includes(line));
    expect(changed.map((line) => line.split(" ")[0]).sort()).toEqual([
      ...["/usr/local/bin/go-node", "/usr/local/bin/go-node.before", "/var/lib/pillar-host/node-upgrade"],
      ...["/var/lib/pillar-host/node.release", "/var/lib/pillar-host/node.upgrade"],
      "/var/lib/pillar-host/orchestrator.flock",
      expect.stringMatching(/^MainPID=/),
    ]);
    expect(await expectSuccess(up())).toMatch(/Resources:\s+\d+ unchanged\n/);
  });
});

// Here this host has no slots yet, so an upgrade waits for none.
const nodePid = (host: LabHost) => onHost(host, "systemctl show -p MainPID --value go-node");

it("keeps the node running, without a stop, if its program can't be replaced", async () => {
  await configure({ version: "v0.0.14" });
  const pid = await nodePid(stage.host);
  await onHost(stage.host, "mount --bind /usr/local/bin/go-node /usr/local/bin/go-node");
  const output = await expectFailure(stage.stack.up());
  await onHost(stage.host, "umount /usr/local/bin/go-node");
  expect(output).toContain(`${stage.host.address}: v0.0.14 of the node was not installed, and v0.0.9 runs on`);
  expect(output).toContain("found: /usr/local/bin/go-node can't be replaced: Device or resource busy. See: findmnt");
  expect([await nodePid(stage.host), await readRunning()]).toEqual([pid, "go-node version v0.0.9\n1"]);
  expect(await onHost(stage.host, "systemctl list-units --all --plain --no-legend 'pillar-host-node*'")).toBe("");
});

/** Directories of the upgrade's files on a file system of their own, which a remount makes full. */
const upgradeDisk = `mkdir -p /run/disk && mount -t tmpfs -o size=2g tmpfs /run/disk
for at in /usr/local/bin /var/lib/pillar-host; do cp -a $at /run/disk/; mount --bind /run/disk/\${at##*/} $at; done`;
const fillUpgradeDisk = "mount -o remount,size=$(df -k --output=used /run/disk | tail -n 1)k /run/disk";
/** With the node off, because its running program keeps the file system mounted. The double's Node.js is a mount itself. */
const leaveUpgradeDisk = `set -e; mount -o remount,size=2g /run/disk; systemctl stop go-node; rm /run/disk/bin/node
for at in /usr/local/bin /var/lib/pillar-host; do umount $at; cp -a /run/disk/\${at##*/}/. $at/; done
umount /run/disk; systemctl start go-node`;

/** Puts a wrapper of mv on the host, in which CODE runs before the upgrade renames the new program. */
async function beforeRename(code: string): Promise<void> {
  const script = `#!/bin/bash\ncase "$*" in *.next\\ *) ${code} ;; esac\nexec /bin/mv "$@"\n`;
  await stage.host.run("cat > /usr/local/sbin/mv; chmod 755 /usr/local/sbin/mv", script);
}

it("rolls a version back that ends by itself, on a disk that is full since before the swap", async () => {
  await configure({ version: "v0.0.15", settings: { crashAfterMs: 1 } });
  await onHost(stage.host, upgradeDisk);
  await beforeRename(fillUpgradeDisk);
  const output = await expectFailure(stage.stack.up());
  await onHost(stage.host, `rm /usr/local/sbin/mv; df --output=avail /run/disk | tail -n 1; ${leaveUpgradeDisk}`);
  expect(output).toContain("v0.0.15 of the node is not good, and v0.0.9 runs again");
  expect(output).toContain("found: it stops by itself: panic: runtime error");
  await expect.poll(readRunning).toBe("go-node version v0.0.9\n1");
  // A version is judged by its peers only if the one before had them.
  await expect.poll(async () => (await tool("status", "prod")).output).toMatch(/^sync +100\.0 %, .* synced,/m);
  // Its panic left the database open; no later test may take that for a kill of the upgrade.
  await onHost(stage.host, "rm -f /root/.znn/nom/torn");
});

it("waits for a version that reads its database, and finds its peers late; kills of its service change nothing", async () => {
  await configure({ version: "v0.0.16", settings: { cacheMs: 31_000, peerMs: 5100 } });
  const kill = "kill -9 $(systemctl show -p MainPID --value pillar-host-node-upgrade)";
  // Once after the rename, and once between the stop and the start.
  await beforeRename(`/bin/mv "$@"; ${kill}; exit`);
  const once = `[ -e /run/killed ] || { : > /run/killed; ${kill}; exit; }`;
  const script = `#!/bin/bash\ncase "$*" in "start go-node") ${once} ;; esac\nexec /bin/systemctl "$@"\n`;
  await stage.host.run("cat > /usr/local/sbin/systemctl; chmod 755 /usr/local/sbin/systemctl", script);
  const output = await expectSuccess(stage.stack.up());
  await onHost(stage.host, "rm /usr/local/sbin/mv /usr/local/sbin/systemctl; ls /run/killed");
  expect(output).toContain("v0.0.16 is not judged yet: it reads its database before it answers: ");
  expect(output).toContain("v0.0.16 is not judged yet: not enough peers (");
  expect(output).toMatch(/v0\.0\.16 runs now instead of v0\.0\.9; the node was down for \d+\.\d s, and synced after /);
  expect(await readRunning()).toBe("go-node version v0.0.16\n1");
});

it("upgrades a producing host by one line, without a missed momentum", async () => {
  address = await onHost(stage.host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);
  await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress: address });
  await expect.poll(() => countProduced(0)).toBeGreaterThan(0);
  const begun = Date.now();
  await configure({ version: "v0.0.10" });
  const output = await expectSuccess(stage.stack.up());
  expect(await readRunning()).toBe("go-node version v0.0.10\n1");
  expect(output).toMatch(/node: v0\.0\.10 runs now instead of v0\.0\.16; the node was down for \d+\.\d s/);
  expect(output).toContain("v0.0.16 is restored automatically");
  expect((await missedSince(begun)).length).toBeLessThanOrEqual(mostMissed(output));
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

it("rolls back a version that follows a fork, and produces again within four minutes", async () => {
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
  await run.hears((output) => /then the new one starts/.exec(output)?.[0], "the swap");
  await run.clear();
  await stage.stack.cancel();
  // The host waits a minute for the run, which may reconnect.
  await expectProduction(begun);
  await expect.poll(() => onHost(stage.host, "ls /etc/systemd/system | grep -c pillar-host-node || true")).toBe("0");
});

it("rolls the version back after a power cut right after the swap", async () => {
  await configure({ version: "v0.0.13", settings: { stall: true } });
  const held = "/run/held";
  await beforeRename(`/bin/mv "$@"; sync; : > ${held}; while [ -e ${held} ]; do sleep 0.1; done; exit`);
  const begun = Date.now();
  const run = await stage.stack.begin();
  await until(stage.host, `[ -e ${held} ]`);
  await stage.host.stop({ powerCut: true });
  await rm(join(stage.host.root, "usr/local/sbin/mv"), { force: true });
  await stage.host.start();
  const output = await expectFailure(run.end());
  expect(output).toContain("v0.0.13 of the node is not good, and v0.0.10 runs again");
  expect(output).toContain("found: the host rebooted before the verdict");
  await expectProduction(begun);
});

it("the adopted host is retired as before", async () => {
  await expectSuccess(await tool("retire", "old", "--successor", "prod", "--", "--yes"));
  expect(await onHost(old, "systemctl is-active go-node || systemctl is-enabled go-node || true")).toBe(
    "inactive\nmasked",
  );
});
