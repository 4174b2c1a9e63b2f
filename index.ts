import * as pulumi from "@pulumi/pulumi";
import { begin } from "./components/begin";
import { foundHost } from "./components/host/foundHost";
import { inWords } from "./components/inWords";
import { cutoverOf } from "./components/node/cutover";
import { nextForGone } from "./components/node/nextStep";
import { hostLook } from "./components/node/nodeLook";
import { PillarNode, pillarNodeArgs, syncShown } from "./components/node/pillarNode";
import { reportPorts } from "./components/node/reportPorts";
import { nextBeforeWallet, nextForOrchestrator } from "./components/orchestrator/nextOrchestrator";
import { planOrchestrator } from "./components/orchestrator/orchestratorPlan";
import { readConfig } from "./components/readConfig";
import { reportNextStep } from "./components/reportNextStep";
import { HostRetirement } from "./components/retirement/hostRetirement";
import { rememberedShown } from "./components/retirement/remembered";
import { retirementArgs, standBy } from "./components/retirement/standBy";

// A function, since the market of a cloud provider is looked at before anything is registered.
export = inWords(async () => {
  const config = readConfig();
  const stack = pulumi.getStack();
  const last = await begin(config, stack);
  const look = hostLook(config, last);
  const { host, shown } = await foundHost(config, last);
  if (!host) return { host: shown, nextStep: reportNextStep(pulumi.output(nextForGone(stack))) };
  const hostShown = { ...shown, hostKey: host.access.hostKey };
  if (config.lifecycle !== "active") return { host: hostShown, ...(await standBy(config, host, last)) };

  const signer = await planOrchestrator(config, last, async (at, key) => (await look(at, key)).node);
  const pillar = new PillarNode("node", await pillarNodeArgs(config, host, look));
  const { shown: moved, resources } = signer.move(host, pillar);
  const cutover = cutoverOf({
    config,
    host,
    pillar,
    look,
    last,
    after: moved ?? pulumi.output(undefined),
    first: nextBeforeWallet(signer.timing, stack),
    isWithoutSigner: signer.timing === "none",
  });
  const told = reportPorts(config, last.signer?.side, pillar.deployed);
  const { guard } = new HostRetirement("retirement", {
    ...(await retirementArgs(config, host, last)),
    after: [pillar, pillar.done, ...resources],
    knownProducer: pillar.producerAddress,
  });
  return {
    host: hostShown,
    sync: syncShown(pillar.gate),
    registration: cutover.registration,
    producerAddress: cutover.producerAddress,
    // The engine warns of an output that is undefined.
    ...(moved ? { orchestrator: moved } : {}),
    remembered: rememberedShown(host.guard, guard, last, cutover.registration),
    nextStep: reportNextStep(
      pulumi
        .all([cutover.nextStep, moved ?? pulumi.output(undefined), told])
        .apply(([next, shownSigner]) => [...next, ...nextForOrchestrator(signer.timing, stack, shownSigner)]),
    ),
  };
});
