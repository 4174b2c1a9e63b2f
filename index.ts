import * as pulumi from "@pulumi/pulumi";
import { readConfig, type StackConfig } from "./components/config";
import type { CloudHost } from "./components/host/cloudHost";
import { existingHost } from "./components/host/existing";
import type { Host } from "./components/host/host";
import { type LastRun, lastRun } from "./components/lastRun";
import { nextForGone, nextStep } from "./components/node/nextStep";
import { nodeLook } from "./components/node/nodeLook";
import { PillarNode, syncShown } from "./components/node/pillarNode";
import { nextForSigner } from "./components/orchestrator/nextSigner";
import { signerOf } from "./components/orchestrator/turn";
import { checkRetirement, guard, standBy } from "./components/retirement/retirement";

// A function, since the market of a cloud provider is looked at before anything is registered.
export = async () => {
  const config = readConfig();
  const stack = pulumi.getStack();
  const last = await lastRun();
  if (config.lifecycle === "retiring") await checkRetirement(config, last);
  const look = nodeLook(config, last);
  const { cloud, host: found } = await hostOf(config, last);
  if (!found) return { host: cloud?.shown, nextStep: nextForGone(stack) };
  const { access, fingerprint } = found;
  const shown = { ...(cloud?.shown ?? { address: access.address, fingerprint }), hostKey: access.hostKey };
  if (config.lifecycle !== "active") return { host: shown, ...standBy(config, found, last) };

  const host = { ...found, ready: [guard(config, found, { isLast: false })] };
  const signer = await signerOf(config, last, look);
  const pillar = new PillarNode("node", { host, config });
  const { shown: moved, resources } = signer.move(host, pillar);
  guard(config, host, { isLast: true, after: [pillar, ...resources], knownProducer: pillar.producerAddress });
  // Looked up anew on every run, so that what is shown is of this minute; plain values, so that it stays readable.
  const now = pulumi
    .all([access.address, access.hostKey, pillar.gate.syncedAt, pillar.producerAddress])
    .apply(async ([address, hostKey, , producerAddress]) => {
      return { seen: await look(address, hostKey), producerAddress };
    });
  return {
    host: shown,
    sync: syncShown(pillar.gate),
    producerAddress: now.apply(({ seen, producerAddress }) => (seen.synced ? producerAddress : undefined)),
    ...(moved ? { orchestrator: moved } : {}),
    nextStep: pulumi
      .all([now, moved ?? pulumi.output(undefined)])
      .apply(([{ seen, producerAddress }, shownSigner]) => [
        ...nextStep({ stack, pillar: config.pillar.name, producerAddress, now: seen }),
        ...nextForSigner(signer.turn, stack, shownSigner),
      ]),
  };
};

async function hostOf(config: StackConfig, last: LastRun): Promise<{ host?: Host; cloud?: CloudHost }> {
  if (config.host.provider === "existing") {
    return { host: existingHost(config, config.host, last) };
  }
  // Loaded where it is needed: the clouds' libraries are large.
  const { cloudHost } = await import("./components/host/cloudHost");
  const cloud = await cloudHost(config, config.host, last);
  return { cloud, ...(cloud.host ? { host: cloud.host } : {}) };
}
