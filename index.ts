import * as pulumi from "@pulumi/pulumi";
import { begin } from "./components/begin";
import { registerHost } from "./components/host/foundHost";
import { showPlainErrors } from "./components/inWords";
import { registerCutover } from "./components/node/cutover";
import { formatNextStepWithoutServer } from "./components/node/nextStep";
import { createHostReader } from "./components/node/nodeLook";
import { createPillarNodeArgs, createSyncOutput, PillarNode } from "./components/node/pillarNode";
import { reportPorts } from "./components/node/reportPorts";
import { formatOrchestratorSteps, formatStepsBeforeWallet } from "./components/orchestrator/nextOrchestrator";
import { planOrchestrator } from "./components/orchestrator/orchestratorPlan";
import { readConfig } from "./components/readConfig";
import { reportNextStep } from "./components/reportNextStep";
import { createRememberedOutput } from "./components/retirement/hostMemory";
import { HostRetirement } from "./components/retirement/hostRetirement";
import { createRetirementArgs, registerIdleHost } from "./components/retirement/idleHost";

// Exports a function, because the cloud provider's offers must be read before any resource is registered.
export = showPlainErrors(async () => {
  const config = readConfig();
  const stack = pulumi.getStack();
  const last = await begin(config, stack);
  const look = createHostReader(config, last);
  const { host, shown } = await registerHost(config, last);
  if (!host) return { host: shown, nextStep: reportNextStep(pulumi.output(formatNextStepWithoutServer(stack))) };
  const hostShown = { ...shown, hostKey: host.access.hostKey };
  if (config.lifecycle !== "active") return { host: hostShown, ...(await registerIdleHost(config, host, last)) };

  const signer = await planOrchestrator(config, last, async (at, key) => (await look(at, key)).node);
  const pillar = new PillarNode("node", await createPillarNodeArgs(config, host, look));
  const { shown: moved, resources } = signer.move(host, pillar);
  const cutover = registerCutover({
    config,
    host,
    pillar,
    look,
    last,
    after: moved ?? pulumi.output(undefined),
    first: formatStepsBeforeWallet(signer.timing, stack),
    isWithoutSigner: signer.timing === "none",
  });
  const told = reportPorts(config, last.signer?.side, pillar.deployed);
  const { guard } = new HostRetirement("retirement", {
    ...(await createRetirementArgs(config, host, last)),
    after: [pillar, pillar.done, ...resources],
    knownProducer: pillar.producerAddress,
  });
  return {
    host: hostShown,
    sync: createSyncOutput(pillar.gate),
    registration: cutover.registration,
    producerAddress: cutover.producerAddress,
    // The engine warns about an undefined output.
    ...(moved ? { orchestrator: moved } : {}),
    remembered: createRememberedOutput(host.guard, guard, last, cutover.registration),
    nextStep: reportNextStep(
      pulumi
        .all([cutover.nextStep, moved ?? pulumi.output(undefined), told])
        .apply(([next, shownSigner]) => [...next, ...formatOrchestratorSteps(signer.timing, stack, shownSigner)]),
    ),
  };
});
