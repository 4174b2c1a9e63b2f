import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Run } from "../../../lab/stack/engineRun";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { expectFailure } from "../fixture";
import { until } from "../stops/effects";
import { missedSpanMs, serveNode, serveProgram, upgradeStage } from "./upgradeStage";

keepEngineLogs();

const { stage, configure, upTo, produce, slotsSince, countProduced, readRunning } = upgradeStage(0.5);

/** Waits until the version before produces, and expects no slot of the chain missed 60 s after the first one, and one node. */
async function expectProduction(since: number, version = "v0.0.8"): Promise<void> {
  expect(await readRunning()).toBe(`go-node version ${version}\n1`);
  const now = Date.now();
  await expect.poll(() => countProduced(now), { timeout: 90_000 }).toBeGreaterThan(0);
  const slots = await slotsSince(since);
  const missed = slots.filter(({ nodes }) => nodes.length === 0);
  console.log(`${expect.getState().currentTestName}: ${missed.length} slots missed, in ${missedSpanMs(slots)} ms`);
  expect(missedSpanMs(slots)).toBeLessThan(60_000);
  expect(slots.filter(({ nodes }) => nodes.length > 1)).toEqual([]);
}

it("refuses a release for another machine, and the node keeps running", async () => {
  await produce();
  // The head of an ELF file for the processor aarch64.
  const head = Buffer.from("7f454c4602010100000000000000000002", "hex");
  const program = Buffer.concat([head, Buffer.from("00b700", "hex"), Buffer.alloc(4096)]);
  await configure(await serveProgram(stage.lab, "other-machine", "v0.0.10", program));
  const since = Date.now();
  const output = await expectFailure(stage.stack.up());
  expect(output).toContain("the release does not report the version that node.release.version names");
  expect(output).toContain("The node runs on as before. Then run pulumi up -s prod again.");
  await expectProduction(since);
  expect(missedSpanMs(await slotsSince(since))).toBe(0);
});

it.each([
  ["does not start", "v0.0.11", "it stops by itself: panic: not today"],
  ["stands still", "v0.0.12", "the height has not grown after 40 s"],
])("rolls back a version that %s, and produces again within 60 s of the chain", async (fault, version, why) => {
  const dead = `#!/bin/bash\n[ "$1" = version ] && echo go-node version ${version} && exit\necho panic: not today\nexit 2\n`;
  await configure(
    fault === "stands still"
      ? await serveNode(stage.lab, { version, settings: { stall: true } })
      : await serveProgram(stage.lab, `node-${version}`, version, Buffer.from(dead)),
  );
  const since = Date.now();
  const output = await expectFailure(stage.stack.up());
  expect(output).toContain(`${stage.host.address}: ${version} of the node is not good, and v0.0.8 runs again`);
  expect(output).toContain(why);
  await expectProduction(since);
});

/** Marks that the upgrade is held at its rename. */
const held = "/run/held";
const wrapper = "usr/local/sbin/mv";
/** Holds the upgrade's service before or after its rename, until the mark is gone. */
async function holdRename(when: "before" | "after"): Promise<void> {
  const hold = `: > ${held}; while [ -e ${held} ]; do sleep 0.1; done`;
  const act = when === "before" ? `${hold}; exec /bin/mv "$@"` : `/bin/mv "$@"; sync; ${hold}; exit`;
  const script = `#!/bin/bash\ncase "$*" in *.next\\ *) ${act} ;; esac\nexec /bin/mv "$@"\n`;
  await stage.host.run(`cat > /${wrapper}; chmod 755 /${wrapper}`, script);
}

/** Begins an upgrade to a version that adds no momentum, and returns once it is at a moment. */
async function beginUpgrade(moment: "before the rename" | "after the rename" | "in the judgement"): Promise<Run> {
  await configure(await serveNode(stage.lab, { version: "v0.0.13", settings: { stall: true } }));
  const isJudged = moment === "in the judgement";
  if (!isJudged) await holdRename(moment === "before the rename" ? "before" : "after");
  const run = await stage.stack.begin();
  await until(stage.host, `[ -e ${isJudged ? "/run/pillar-host/node-upgrade.without" : held} ]`);
  return run;
}

it.each([
  ["before the rename", "the host rebooted before the swap"],
  ["after the rename", "the host rebooted before the verdict"],
  ["in the judgement", "the host rebooted before the verdict"],
] as const)("produces with the previous version within 60 s of the chain after a power cut %s", async (moment, why) => {
  const since = Date.now();
  const run = await beginUpgrade(moment);
  await stage.host.stop({ powerCut: true });
  await rm(join(stage.host.root, wrapper), { force: true });
  await stage.host.start();
  const output = await expectFailure(run.end());
  expect(output).toContain("v0.0.13 of the node is not good, and v0.0.8 runs again");
  expect(output).toContain(`found: ${why}`);
  await expectProduction(since);
});

it("the next run upgrades the host to a version that works", async () => {
  const since = Date.now();
  await upTo(await serveNode(stage.lab, { version: "v0.0.10" }));
  await expectProduction(since, "v0.0.10");
});
