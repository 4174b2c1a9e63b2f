import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Distribution } from "../../../lab/images/baseImage.ts";
import { ensurePackagedImage } from "../../../lab/images/packagedImage.ts";
import { ensureProviderImage } from "../../../lab/images/providerImage.ts";
import type { Lab, LabHost } from "../../../lab/lab.ts";
import { setUpOrchestrator } from "../../../lab/oldHost/runningOrchestrator.ts";
import { setUpSyncedNode } from "../../../lab/oldHost/syncedNode.ts";
import type { Backend } from "../../../lab/stack/backends.ts";
import { LabStack, type StackFile } from "../../../lab/stack/stack.ts";
import { stackFile } from "../fixture.ts";
import { pillar } from "./stacks.ts";

/** A momentum a second, so that a slot is not missed for a busy machine; ticks and epochs that a test can wait for. */
const quick = { momentumSeconds: 1, tickMomentums: 5, epochSeconds: 20, rewardDelaySeconds: 1 };
const network = { epoch: "20s", momentum: "1s", tickMomentums: 5 };
/** The whole journey, by a stack of each host. */
export interface Journey {
  readonly lab: Lab;
  readonly old: LabHost;
  readonly fresh: LabHost;
  /** Backend of the state; a bucket has event log and backups, too. */
  readonly backend?: Backend;
  readonly stacks: { readonly old: LabStack; readonly fresh: LabStack };
  readonly addresses: { readonly old: string };
}

/**
 * Creates two hosts, a producer and an orchestrator on the old one; nothing is adopted or stood up yet.
 *
 * @param distribution of hosts as a provider hands them over; without it, plain ones of the lab
 */
export async function begunJourney(lab: Lab, backend?: Backend, distribution?: Distribution): Promise<Journey> {
  await lab.chain("PATCH", "/truth", {
    ...quick,
    defaults: { behind: 400, rate: 80, startRefusedMs: 0 },
  });
  const ensureImage = distribution === undefined ? ensurePackagedImage : () => ensureProviderImage(distribution);
  const [old, fresh] = [await lab.addHost("old", ensureImage), await lab.addHost("fresh", ensureImage)];
  for (const host of [old, fresh]) {
    await lab.chain("PATCH", `/orchestrators/${host.name}`, { syncPollMs: 500, stopMs: 300 });
  }
  await lab.chain("PATCH", `/nodes/${fresh.name}`, { buildSeconds: 3, buildLines: 30 });
  const { address } = await setUpSyncedNode(lab, old);
  await setUpOrchestrator(lab, old);
  await lab.chain("PATCH", `/pillars/${pillar}`, { producerAddress: address });
  const privateKey = await readFile(lab.privateKeyFile, "utf8");
  const secrets = { "ssh.privateKey": privateKey };
  const places = { lab, old, fresh, ...(backend ? { backend } : {}) };
  const options = backend ? { backend, hasPassphrase: true } : {};
  const stacks = {
    old: await LabStack.create(lab, "prod", oldFile(places, {}), secrets, options),
    fresh: await LabStack.create(lab, "prod-2", freshFile(places, "stand-up"), secrets, options),
  };
  return { ...places, stacks, addresses: { old: address } };
}

type Places = Pick<Journey, "lab" | "old" | "fresh" | "backend">;

/** Returns the place of event log and backups: the state's bucket, or the lab's directory. */
function recordsOf({ lab, backend }: Places): { readonly orchestrator: object; readonly store?: string } {
  if (!backend) return { orchestrator: { backup: { directory: join(lab.dir, "backups") } } };
  return { orchestrator: {}, store: backend.url };
}

export function oldFile(places: Places, changes: StackFile): StackFile {
  const { lab, old } = places;
  return stackFile(lab, old, {
    ...recordsOf(places),
    network,
    host: { provider: "existing", address: old.address, hostKey: old.hostKey },
    lifecycle: "adopted",
    ...changes,
  });
}

export function freshFile(places: Places, until: "stand-up" | "move"): StackFile {
  const { lab, old, fresh } = places;
  const { orchestrator, ...rest } = recordsOf(places);
  const move = { release: lab.orchestratorRelease(), steadySeconds: 3, move: true };
  return stackFile(lab, fresh, {
    ...rest,
    network,
    ...(until === "stand-up" ? {} : { oldHost: { address: old.address, hostKey: old.hostKey } }),
    orchestrator: { ...orchestrator, ...(until === "stand-up" ? {} : move) },
  });
}
