import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { createNodeRpc } from "../../core/chain/configuredNode";
import type { StackConfig } from "../../core/config/config";
import { openStackStore } from "../../core/config/stackStore";
import type { RetirementInputs } from "../../core/retirement/guardInputs";
import type { GuardMemory, Remembered } from "../../core/retirement/guardMemory";
import { readHostOnce } from "../../core/retirement/readHost";
import { formatUnmet } from "../../core/retirement/refusalText";
import { addProvider } from "../../core/retirement/retirementFacts";
import { createRetirementInputs } from "../../core/retirement/retirementInputs";
import { surveyRetirement } from "../../core/retirement/surveyRetirement";
import { commandsFor } from "../../core/util/commands";
import { takeFirstLine } from "../../core/util/firstLine";
import { withTimeout } from "../../core/util/withTimeout";
import type { Host } from "../host/host";
import type { LastRun } from "../lastRun";
import { reportNextStep } from "../reportNextStep";
import { readOnlyDeps } from "./checkRetirement";
import { HostRetirement, type RetirementArgs } from "./guard";
import { createGuardInputs, createRememberedOutput, readHostMemory } from "./hostMemory";

interface IdleHostOutputs {
  readonly retirement?: { readonly nodeOff: pulumi.Output<boolean> };
  readonly remembered: pulumi.Output<Remembered>;
  readonly nextStep: pulumi.Input<string[]>;
}

/** Registers a host on which nothing is deployed: adopted as it is, or shut down to be retired. @returns outputs */
export async function registerIdleHost(config: StackConfig, host: Host, last: LastRun): Promise<IdleHostOutputs> {
  const stack = pulumi.getStack();
  const isRetiring = config.lifecycle === "retiring";
  const run = isRetiring && (await isStillOff(config, last)) ? undefined : randomUUID();
  const { shutdown, memory, guard } = new HostRetirement("retirement", {
    ...(await createRetirementArgs(config, host, last)),
    after: [host.guard],
    shutDown: isRetiring ? { first: host.guard, run } : undefined,
  });
  const remembered = createRememberedOutput(host.guard, guard, last);
  if (shutdown === undefined || memory === undefined)
    return { remembered, nextStep: reportNextStep(pulumi.output(adoptedHostSteps(stack))) };
  const { recorded, knownProducer } = await readHostMemory(config, last);
  const next = pulumi
    .all([shutdown.isOff, memory, host.access.address, host.access.hostKey, host.isOrdered ?? false])
    .apply(([isOff, guarded, address, hostKey, isOwnServer]) => {
      const known = createRetirementInputs(config, { address, hostKey, isOwnServer });
      return retiredHostSteps(config, isOff, { ...known, recorded, knownProducer }, guarded);
    });
  return { retirement: { nodeOff: shutdown.isOff }, remembered, nextStep: reportNextStep(pulumi.unsecret(next)) };
}

/** True if the node was shut down and is still off, or the host is silent. Somebody may have started the node since. */
export async function isStillOff(
  config: StackConfig,
  { nodeOff, address, hostKey }: LastRun,
  lookAt = readHostOnce,
): Promise<boolean> {
  if (!nodeOff || address === undefined || hostKey === undefined) return nodeOff === true;
  const inputs = createRetirementInputs(config, { address, hostKey, isOwnServer: false });
  const look = await lookAt(inputs, 0, readOnlyDeps).catch((error: Error) => ({ silent: error.message }));
  return "silent" in look || (!look.facts.node.active && look.facts.node.masked);
}

export async function createRetirementArgs(config: StackConfig, host: Host, last: LastRun): Promise<RetirementArgs> {
  return { host, settings: await createGuardInputs(config, last), rpc: createNodeRpc(config) };
}

function adoptedHostSteps(stack: string): string[] {
  return [
    "This host is left as it is. Once its Pillar produces on another host, retire this one. STACK is the other host's stack:",
    `  ${commandsFor(stack).retire("STACK")}`,
    "  (if the other host has no stack here: docs/retiring.md)",
  ];
}

/** Milliseconds for the lookup behind the printed conditions. A destroy has other time limits. */
const deadline = 60_000;

/** Formats the conditions that still block the destroy. Reads them again in every run. Never throws. */
async function retiredHostSteps(
  config: StackConfig,
  isOff: boolean,
  inputs: RetirementInputs,
  memory: GuardMemory,
): Promise<string[]> {
  const shut = isOff
    ? "The node of this host is off, and stays off."
    : "The node of this host could not be stopped: it does not answer.";
  const { destroy } = commandsFor(inputs.stack);
  const { provider } = config.host;
  try {
    const look = await readHostOnce(inputs, 0, readOnlyDeps);
    const host = addProvider(look, provider === "existing" ? undefined : provider);
    const question = { step: "destroy" as const, inputs, memory, host, store: openStackStore(config) };
    const late = `no answer within ${deadline / 1000} s`;
    const { verdict } = await withTimeout(surveyRetirement(question, readOnlyDeps), deadline, late);
    if (verdict.unmet.length === 0) return [shut, `All conditions are met. Delete the host with: ${destroy}`];
    return [
      shut,
      `${destroy} is refused until these conditions are met; it checks them again itself:`,
      ...verdict.unmet.flatMap(formatUnmet).map((line) => `  ${line}`),
    ];
  } catch (error) {
    return [shut, `It is unknown what still blocks ${destroy}: ${takeFirstLine((error as Error).message)}`];
  }
}
