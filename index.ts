import * as pulumi from "@pulumi/pulumi";
import { registerHost } from "./components/host/registerHost.ts";
import { announce, reportNextStep, showPlainErrors } from "./components/log.ts";
import { registerCutover } from "./components/node/cutover.ts";
import { createHostReader } from "./components/node/nodeReading.ts";
import { createSyncOutput, PillarNode } from "./components/node/pillarNode.ts";
import { planOrchestrator } from "./components/orchestrator/orchestrator.ts";
import { HostRetirement } from "./components/retirement/guard.ts";
import { registerKeptHost } from "./components/retirement/keptHost.ts";
import { type OutputInputs, prepareRun } from "./components/run.ts";
import { readStackEvents } from "./core/eventLog/eventLog.ts";
import { formatConsent } from "./core/journey/consent.ts";
import { outputName } from "./core/journey/outputs.ts";
import { formatNextStepWithoutServer } from "./core/journey/runTexts.ts";

// Exports an async function: it reads the cloud provider's offers before it registers any resource.
export default showPlainErrors(async () => ({ [outputName]: await registerStack() }));

async function registerStack(): Promise<OutputInputs> {
  const { config, last } = await prepareRun();
  const { stack } = config;
  const look = createHostReader(config, last);
  const { host, shown } = await registerHost(config, last, look);
  if (!host) return { host: shown, nextStep: reportNextStep(pulumi.output(formatNextStepWithoutServer(stack))) };
  const hostShown = { ...shown, hostKey: host.access.hostKey };
  if (config.lifecycle !== "active") return { host: hostShown, ...(await registerKeptHost(config, host, last, look)) };

  const orchestrator = await planOrchestrator(config, last, async (at, key) => (await look(at, key)).node);
  void announce(formatConsent(config, last, { isMoveDue: orchestrator.timing === "now" }));
  // None if the log can't be read: the next write to it reports that.
  const events = await readStackEvents(config).catch(() => []);
  const pillar = new PillarNode("node", { host, events, look });
  const { shown: moved, resources } = orchestrator.move(host, pillar);
  const cutover = registerCutover({ host, pillar, look, last, timing: orchestrator.timing });
  new HostRetirement({ host, after: [pillar, pillar.done, ...resources], knownProducer: pillar.producerAddress });
  return {
    host: hostShown,
    sync: createSyncOutput(pillar.gate),
    registration: cutover.registration,
    producerAddress: cutover.producerAddress,
    orchestrator: moved,
    nextStep: reportNextStep(cutover.formatNextStep(moved ?? pulumi.output(undefined))),
  };
}
