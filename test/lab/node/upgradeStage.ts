import { createHash } from "node:crypto";
import { expect } from "vitest";
import { bundleNode } from "../../../lab/doubles/bundle";
import type { Slot } from "../../../lab/doubles/chain";
import type { NodeBuild } from "../../../lab/doubles/node/logLines";
import type { Lab } from "../../../lab/lab";
import { expectSuccess, onHost, pastPackages, reconfigure, staged } from "../fixture";

/** A value of pillar-host:node.release. */
export interface ServedRelease {
  readonly url: string;
  readonly sha256: string;
  readonly version: string;
}

/** Serves a program as a release of the node: a plain binary. */
export async function serveProgram(lab: Lab, name: string, version: string, program: Buffer): Promise<ServedRelease> {
  await lab.releases("PUT", `/${name}.zip`, program);
  return { url: lab.releaseUrl(name), sha256: createHash("sha256").update(program).digest("hex"), version };
}

/** Serves a build of the double. @param name under which it is served */
export async function serveNode(lab: Lab, build: NodeBuild, name = `node-${build.version}`): Promise<ServedRelease> {
  return serveProgram(lab, name, build.version, Buffer.from(await bundleNode(build)));
}

/** Returns the milliseconds of the chain from the first missed slot to the last one. */
export function missedSpanMs(slots: readonly Slot[]): number {
  const missed = slots.filter(({ nodes }) => nodes.length === 0).map(({ at }) => at);
  return (missed.at(-1) ?? 0) - (missed[0] ?? 0);
}

/** Creates a host whose Pillar gets one slot in each tick of a network of 100 Pillars in a hurry. */
export function upgradeStage(momentumSeconds: number) {
  let reference = "";
  let address = "";
  const settings = () => ({
    sync: { references: [reference], tolerance: 100 },
    network: { momentum: `${momentumSeconds * 1000}ms` },
  });
  const stage = staged(settings, async (lab, host) => {
    await pastPackages(lab, host);
    await lab.chain("PATCH", "/truth", { momentumSeconds, backgroundPillars: 99, height: 200_000 });
    reference = await lab.addReference("ref1");
  });
  /** Returns the host's slots on the chain, in the order of time. */
  const slotsSince = async (since: number) =>
    (await stage.lab.chain<Slot[]>("GET", "/production")).filter(
      ({ producer, at }) => producer === address && at > since,
    );
  const countProduced = async (since: number) =>
    (await slotsSince(since)).filter(({ nodes }) => nodes.length > 0).length;
  const configure = (release: ServedRelease) =>
    reconfigure(stage.stack, stage.host, { ...settings(), node: { release } });
  const up = async () => {
    const output = await expectSuccess(stage.stack.up());
    return output;
  };
  return {
    stage,
    configure,
    slotsSince,
    countProduced,
    /** Runs `up`, which must succeed, and returns its output. */
    up,
    upTo: async (release: ServedRelease) => {
      await configure(release);
      return up();
    },
    /** Stands the host up with v0.0.8 and registers it. Returns once it produces. */
    produce: async () => {
      await up();
      address = await onHost(stage.host, `sed -nE 's/.*"Address": "(z1q[^"]*)".*/\\1/p' /root/.znn/config.json`);
      await stage.lab.chain("PATCH", "/pillars/Anvil", { producerAddress: address });
      await expect.poll(() => countProduced(0)).toBeGreaterThan(0);
    },
    readRunning: () => onHost(stage.host, "/usr/local/bin/go-node version | head -n 1; pgrep -cx go-node"),
  };
}
