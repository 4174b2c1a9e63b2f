import * as pulumi from "@pulumi/pulumi";
import { readConfig, type StackConfig } from "./components/config";
import type { CloudHost } from "./components/host/cloudHost";
import { existingHost } from "./components/host/existing";
import type { Host } from "./components/host/host";
import { nodeTarget } from "./components/login";
import { nextForHost, nextStep } from "./components/node/nextStep";
import { PillarNode, syncShown } from "./components/node/pillarNode";
import { nextForSigner } from "./components/orchestrator/nextSigner";
import { signerOf } from "./components/orchestrator/turn";
import { lookAtNode } from "./providers/lookup";

// A function, since the market of a cloud provider is looked at before anything is registered.
export = async () => {
  const config = readConfig();
  const stack = pulumi.getStack();
  const last = new pulumi.StackReference(`${pulumi.getOrganization()}/${pulumi.getProject()}/${stack}`);
  const { cloud, host } = await hostOf(config, last);
  if (!host) return { host: cloud?.shown, nextStep: nextForHost(config.lifecycle, stack) };

  const signer = await signerOf(config, last);
  const pillar = new PillarNode("node", { host, config });
  const moved = signer.move(host, pillar);
  // Looked up anew on every run, so that what is shown is of this minute; plain values, so that it stays readable.
  const now = pulumi
    .all([host.access.address, host.access.hostKey, pillar.gate.syncedAt, pillar.producerAddress])
    .apply(async ([address, hostKey, , producerAddress]) => {
      const seen = await lookAtNode(nodeTarget(config, address, hostKey), config.sync);
      return { seen, producerAddress };
    });
  return {
    host: cloud?.shown ?? { address: host.access.address, fingerprint: host.fingerprint },
    sync: syncShown(pillar.gate),
    producerAddress: now.apply(({ seen, producerAddress }) => (seen.synced ? producerAddress : undefined)),
    orchestrator: moved,
    nextStep: pulumi
      .all([now, moved])
      .apply(([{ seen, producerAddress }, shownSigner]) => [
        ...nextStep({ stack, pillar: config.pillar.name, producerAddress, now: seen }),
        ...nextForSigner(signer.turn, stack, shownSigner),
      ]),
  };
};

async function hostOf(config: StackConfig, last: pulumi.StackReference): Promise<{ host?: Host; cloud?: CloudHost }> {
  if (config.host.provider === "existing") {
    const finished = last.getOutput("nextStep").apply((step) => step !== undefined);
    return { host: existingHost(config, config.host, finished) };
  }
  // Loaded where it is needed: the clouds' libraries are large.
  const { cloudHost } = await import("./components/host/cloudHost");
  const cloud = await cloudHost(config, config.host);
  return { cloud, ...(cloud.host ? { host: cloud.host } : {}) };
}
