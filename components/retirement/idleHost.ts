import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { readHostOnce } from "../../core/retirement/readHost";
import { createRetirementInputs } from "../../core/retirement/retirementInputs";
import { commandsFor } from "../../core/util/commands";
import type { Host } from "../host/host";
import type { LastRun } from "../lastRun";
import { reportNextStep } from "../log";
import { readOnlyDeps } from "./checkRetirement";
import { HostRetirement } from "./guard";

/** Registers a host on which nothing is deployed: adopted as it is, or shut down to be retired. @returns outputs */
export async function registerIdleHost(config: StackConfig, host: Host, last: LastRun) {
  const stack = pulumi.getStack();
  const isRetiring = config.lifecycle === "retiring";
  const run = isRetiring && (await isStillOff(config, last)) ? undefined : randomUUID();
  const shutDown = isRetiring ? { run } : undefined;
  const { shutdown } = new HostRetirement({ host, after: [host.guard], shutDown });
  if (shutdown === undefined) return { nextStep: reportNextStep(pulumi.output(formatAdoptedSteps(stack))) };
  const next = shutdown.isOff.apply((isOff) => formatRetiredSteps(stack, isOff));
  return { retirement: { nodeOff: shutdown.isOff }, nextStep: reportNextStep(next) };
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

function formatAdoptedSteps(stack: string): string[] {
  return [
    "This host is left as it is. Once its Pillar produces on another host, retire this one. STACK is the other host's stack:",
    `  ${commandsFor(stack).retire("STACK")}`,
    "  (if the other host has no stack here: docs/retiring.md)",
  ];
}

function formatRetiredSteps(stack: string, isOff: boolean): string[] {
  const { status, destroy } = commandsFor(stack);
  const found = isOff ? "is off, and stays off." : "could not be stopped: it does not answer.";
  return [
    `The node of this host ${found}`,
    "Collect the rewards in the wallet. To see which conditions of the destroy are not met yet:",
    `  ${status()}`,
    "Once all are met, delete the host:",
    `  ${destroy}`,
  ];
}
