import * as pulumi from "@pulumi/pulumi";
import { readConfig } from "./components/config";
import { existingHost } from "./components/host/existing";
import { nodeTarget } from "./components/login";
import { nextStep } from "./components/node/nextStep";
import { PillarNode } from "./components/node/pillarNode";
import { lookAtNode } from "./providers/lookup";

const config = readConfig();
const last = new pulumi.StackReference(`${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`);
const host = existingHost(
  config,
  last.getOutput("nextStep").apply((step) => step !== undefined),
);
const pillar = new PillarNode("node", { host, config });
const { gate } = pillar;

// Looked up anew on every run, so that what is shown is of this minute; plain values, so that it stays readable.
const now = pulumi
  .all([host.access.hostKey, gate.syncedAt, pillar.producerAddress])
  .apply(async ([hostKey, , producerAddress]) => {
    const seen = await lookAtNode(nodeTarget(config, hostKey), config.sync);
    return { seen, producerAddress };
  });

const hostOutput = { address: config.host.address, fingerprint: host.fingerprint };
const syncOutput = {
  state: gate.state,
  currentHeight: gate.currentHeight,
  targetHeight: gate.targetHeight,
  startedAt: gate.startedAt,
  syncedAt: gate.syncedAt,
  durationSeconds: gate.durationSeconds,
  rate: gate.rate,
  proved: gate.proved,
  unproved: gate.unproved,
};
const addressOutput = now.apply(({ seen, producerAddress }) => (seen.synced ? producerAddress : undefined));
const nextOutput = now.apply(({ seen, producerAddress }) =>
  nextStep({ stack: pulumi.getStack(), pillar: config.pillar.name, producerAddress, now: seen }),
);

export { addressOutput as producerAddress, hostOutput as host, nextOutput as nextStep, syncOutput as sync };
