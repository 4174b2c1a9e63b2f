import { expect, test } from "vitest";
import type { LabHost } from "../../../lab/lab.ts";
import type { Run } from "../../../lab/stack/engineRun.ts";
import { onHost, reconfigure } from "../fixture.ts";
import { copyStage, gate, leftOn, nodePid } from "./copyStage.ts";

const data = "/root/.znn";

/** Moves the data directory to a separate file system that allocates only written blocks. */
const ownDisk = `
set -eu
running=$(systemctl is-active go-node || true)
[ "$running" != active ] || systemctl stop go-node
mkdir -p ${data} /run/disk
mount -t tmpfs -o mode=700,size=2g tmpfs /run/disk
cp -a ${data}/. /run/disk
mount --bind /run/disk ${data}
[ "$running" != active ] || systemctl start go-node`;
const disk = (host: LabHost, option: string) => onHost(host, `mount -o remount,${option} /run/disk`);
/** Leaves this many KiB free. */
const nearlyFull = (host: LabHost, free: number) =>
  onHost(host, `mount -o remount,size=$(($(df -k --output=used ${data} | tail -n 1) + ${free}))k /run/disk`);

// Each test continues from the previous one.
const stage = copyStage({ copyMbps: 0.8 }, (host) => onHost(host, ownDisk));

/** Starts a run that copies one table more than there was in the beginning, and waits until its copy is under way. */
async function travelling(table: string): Promise<Run> {
  // Enough to be cut off on the way.
  await onHost(stage.old, `rm -f ${data}/nom/0009*.ldb; head -c 6000000 /dev/urandom > ${data}/nom/${table}`);
  const run = await stage.stack.begin();
  await run.hears((output) => /chain copy: snapshot of/.exec(output)?.[0], "the snapshot", 600);
  await onHost(
    stage.fresh,
    `timeout 300 sh -c 'until [ -s ${data}/.pillar-host-arriving/nom/${table} ]; do sleep 0.2; done'`,
  );
  return run;
}

const isUp = (host: LabHost) => onHost(host, "systemctl is-active go-node");

test("copies nothing from an old host without hard links; its node keeps running", async () => {
  const { old, stack } = stage;
  const process = await nodePid(old);
  await onHost(old, `mount -o remount,nr_inodes=$(($(df --output=iused ${data} | tail -n 1) + 4)) /run/disk`);
  const { exitCode, output } = await stack.up();
  await disk(old, "nr_inodes=100000");
  expect(exitCode, output).not.toBe(0);
  expect(output).toContain(`${old.address}: the databases of the node in ${data} could not be linked`);
  expect(output).toMatch(/found: .*No space left on device; \d+ MB and \d inodes free on/);
  expect(output).toContain("needed: free some MB, and an inode for a link to each table");
  expect(output).toContain("To go on: pulumi up -s prod");
  expect(await leftOn(old)).toBe("");
  expect(await nodePid(old)).toBe(process);
}, 900_000);

test("removes a partial copy when the new host's disk is full; both nodes keep running", async () => {
  const { old, fresh } = stage;
  const run = await travelling("000900.ldb");
  await nearlyFull(fresh, 200);
  const { exitCode, output } = await run.end();
  await disk(fresh, "size=2g");
  expect(exitCode, output).not.toBe(0);
  expect(output).toContain(`${fresh.address}: this host has no room for the rest of the copy`);
  expect(output).toMatch(/found: .*No space left on device; \d+ MB and \d+ inodes free on/);
  expect(output).toMatch(/needed: make room for \d+ MB in all/);
  expect(output).toContain("To go on: pulumi up -s prod");
  for (const host of [old, fresh]) expect(await leftOn(host)).toBe("");
  for (const host of [old, fresh]) expect(await isUp(host)).toBe("active");
}, 900_000);

test("ends the copy when the old host's disk fills up", async () => {
  const { old, fresh } = stage;
  const run = await travelling("000901.ldb");
  await nearlyFull(old, 100_000);
  const { exitCode, output } = await run.end();
  await disk(old, "size=2g");
  expect(exitCode, output).not.toBe(0);
  expect(output).toMatch(new RegExp(`${old.address} has \\d+ MB free: the copy stops before its node lacks room`));
  expect(await leftOn(old)).toBe("");
  expect(await leftOn(fresh)).toBe(".pillar-host-arriving");
  expect(await isUp(old)).toBe("active");
}, 900_000);

test("the files of an interrupted copy that is no longer wanted are removed before the sync continues", async () => {
  const { fresh, stack } = stage;
  const run = await travelling("000902.ldb");
  await run.kill();
  await stack.cancel();
  expect(await leftOn(fresh)).toContain(".pillar-host-arriving");
  await reconfigure(stack, fresh, { sync: gate });
  const next = await stack.begin();
  await next.hears((output) => /removed what an unfinished chain copy had left here/.exec(output)?.[0], "its removal");
  await next.hears((output) => /sync: .*height \d+ of \d+/.exec(output)?.[0], "the sync from the network");
  expect(await leftOn(fresh)).toBe("");
  await next.kill();
  await stack.cancel();
}, 900_000);
