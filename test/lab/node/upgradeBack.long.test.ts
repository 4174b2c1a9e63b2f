import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Slot } from "../../../lab/doubles/chain";
import { keepEngineLogs } from "../../../lab/toolchain/engineLogs";
import { onHost, pastPackages, reconfigure, staged } from "../fixture";
import { missedSpan, ownSlots, type ServedRelease, serveNode, serveProgram } from "./release";

keepEngineLogs();

/** A network of 100 Pillars in a hurry: a tick of 15 s. */
const hurry = { momentumSeconds: 0.5, backgroundPillars: 99, height: 200_000 };
let reference: string;
let address: string;
let good: ServedRelease;
const settings = () => ({ sync: { references: [reference], tolerance: 100 }, network: { momentum: "500ms" } });
const stage = staged(settings, async (lab, host) => {
  await pastPackages(lab, host);
  await lab.chain("PATCH", "/truth", hurry);
  reference = await lab.addReference("ref1");
  good = await serveNode(lab, { version: "v0.0.10" });
});
const slots = () => ownSlots(stage.lab, address);
const produced = async (since: number) =>
  (await slots()).filter(({ at, nodes }) => at > since && nodes.length > 0).length;
const configured = (release: ServedRelease) =>
  reconfigure(stage.stack, stage.host, { ...settings(), node: { release } });
const running = () => onHost(stage.host, "/usr/local/bin/go-node version | head -n 1; pgrep -cx go-node");

beforeAll(async () => {
  expect((await stage.stack.up()).exitCode).toBe(0);
  address = await onHost(stage.host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);
  await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress: address });
  await expect.poll(() => produced(0), { timeout: 60_000 }).toBeGreaterThan(0);
});

/** The version before produces again, one node of it, and the chain counts no own slot as missed 60 s after the first one. */
async function expectBack(since: number): Promise<void> {
  expect(await running()).toBe("go-node version v0.0.8\n1");
  const now = Date.now();
  await expect.poll(() => produced(now), { timeout: 90_000 }).toBeGreaterThan(0);
  const all: Slot[] = (await slots()).filter(({ at }) => at > since);
  expect(missedSpan(all)).toBeLessThan(60_000);
  expect(all.filter(({ nodes }) => nodes.length > 1)).toEqual([]);
}

it.each([
  ["does not start", "v0.0.11", "it ends by itself: panic: not today"],
  ["stands still", "v0.0.12", "its height has not moved after 40 s"],
  ["follows a fork", "v0.0.13", "the node is on another chain than the references"],
])(
  "a version that %s goes by itself, and the one before produces within 60 s of the chain",
  async (kind, version, why) => {
    const dead = `#!/bin/bash\n[ "$1" = version ] && echo go-node version ${version} && exit\necho panic: not today\nexit 2\n`;
    const misbehaved = kind === "stands still" ? { stall: true } : { otherChain: true };
    await configured(
      kind === "does not start"
        ? await serveProgram(stage.lab, `node-${version}`, version, Buffer.from(dead))
        : await serveNode(stage.lab, { version, settings: misbehaved }),
    );
    const since = Date.now();
    const { exitCode, output } = await stage.stack.up();
    expect(exitCode).not.toBe(0);
    expect(output).toContain(`${stage.host.address}: ${version} of the node is not good, and v0.0.8 runs again`);
    expect(output).toContain(why);
    await expectBack(since);
  },
);

/** Holds the upgrade's service at its rename, before or after it. */
const holdRename = async (when: "before" | "after") => {
  const wrapper = join(stage.host.root, "usr/local/sbin/mv");
  const act = { before: ":", after: '/bin/mv "$@" && sync' }[when];
  await writeFile(
    wrapper,
    `#!/bin/bash\ncase "$*" in *.next\\ *) ${act}; : > /run/held; sleep 600 ;; esac\nexec /bin/mv "$@"\n`,
  );
  await chmod(wrapper, 0o755);
  return { seen: "[ -e /run/held ]", heal: () => rm(wrapper) };
};
const judged = { seen: "[ -e /run/pillar-host/node-upgrade.without ]", heal: async () => undefined };

it.each([
  ["before the rename", () => holdRename("before"), "the host was started anew before the swap"],
  ["after the rename", () => holdRename("after"), "the host was started anew before it was judged"],
  ["while the new version is judged", async () => judged, "the host was started anew before it was judged"],
] as const)("a power cut %s leaves the version before, and the run says so", async (_, hold, why) => {
  await configured(await serveNode(stage.lab, { version: "v0.0.14", settings: { stall: true } }));
  const { seen, heal } = await hold();
  const since = Date.now();
  const run = await stage.stack.begin();
  await expect.poll(async () => (await stage.host.run(seen)).exitCode, { timeout: 180_000 }).toBe(0);
  await stage.host.stop({ powerCut: true });
  await heal();
  await stage.host.start();
  const { exitCode, output } = await run.end();
  expect(exitCode).not.toBe(0);
  expect(output).toContain("v0.0.14 of the node is not good, and v0.0.8 runs again");
  expect(output).toContain(`found: ${why}`);
  await expectBack(since);
});

it("and the next run brings the host to a version that works", async () => {
  await configured(good);
  const { exitCode, output } = await stage.stack.up();
  expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
  expect(await running()).toBe("go-node version v0.0.10\n1");
  expect((await slots()).filter(({ nodes }) => nodes.length > 1)).toEqual([]);
});
