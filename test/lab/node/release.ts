import { createHash } from "node:crypto";
import { bundleNode } from "../../../lab/doubles/bundle";
import type { Slot } from "../../../lab/doubles/chain";
import type { NodeBuild } from "../../../lab/doubles/node/logLines";
import type { Lab } from "../../../lab/lab";

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

/** Reads the slots of a producer address from the chain, in the order of time. */
export async function readSlots(lab: Lab, producer: string): Promise<Slot[]> {
  return (await lab.chain<Slot[]>("GET", "/production")).filter((slot) => slot.producer === producer);
}

/** Returns the milliseconds of the chain from the first missed slot to the last one. */
export function missedSpanMs(slots: readonly Slot[]): number {
  const missed = slots.filter(({ nodes }) => nodes.length === 0).map(({ at }) => at);
  return (missed.at(-1) ?? 0) - (missed[0] ?? 0);
}
