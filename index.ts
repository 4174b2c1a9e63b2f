import * as pulumi from "@pulumi/pulumi";
import type { CloudHost } from "./components/host/cloudHost";
import { existingHost } from "./components/host/existing";
import type { Host } from "./components/host/host";
import { type LastRun, lastRun } from "./components/lastRun";
import { cutoverOf } from "./components/node/cutover";
import { nextForGone } from "./components/node/nextStep";
import { hostLook } from "./components/node/nodeLook";
import { PillarNode, syncShown } from "./components/node/pillarNode";
import { portsTold } from "./components/node/portsTold";
import { nextForSigner } from "./components/orchestrator/nextSigner";
import { signerOf } from "./components/orchestrator/turn";
import { checkRetirement, guard, standBy } from "./components/retirement/retirement";
import { readConfig, type StackConfig } from "./core/config/config";

// A function, since the market of a cloud provider is looked at before anything is registered.
export = async () => {
  const config = readConfig();
  const stack = pulumi.getStack();
  const last = await lastRun();
  if (config.lifecycle === "retiring") await checkRetirement(config, last);
  const look = hostLook(config, last);
  const { cloud, host: found } = await hostOf(config, last);
  if (!found) return { host: cloud?.shown, nextStep: nextForGone(stack) };
  const { access, fingerprint } = found;
  const shown = { ...(cloud?.shown ?? { address: access.address, fingerprint }), hostKey: access.hostKey };
  if (config.lifecycle !== "active") return { host: shown, ...standBy(config, found, last) };

  const host = { ...found, ready: [guard(config, found, { isLast: false })] };
  const signer = await signerOf(config, last, async (at, key) => (await look(at, key)).node);
  const pillar = new PillarNode("node", { host, config });
  const { shown: moved, resources } = signer.move(host, pillar);
  const cutover = cutoverOf({ config, host, pillar, look, last, after: moved ?? pulumi.output(undefined) });
  const told = portsTold(config, stack, pillar.deployed);
  guard(config, host, { isLast: true, after: [pillar, ...resources], knownProducer: pillar.producerAddress });
  return {
    host: shown,
    sync: syncShown(pillar.gate),
    registration: cutover.registration,
    producerAddress: cutover.producerAddress,
    ...(moved ? { orchestrator: moved } : {}),
    nextStep: pulumi
      .all([cutover.nextStep, moved ?? pulumi.output(undefined), told])
      .apply(([next, shownSigner]) => [...next, ...nextForSigner(signer.turn, stack, shownSigner)]),
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
