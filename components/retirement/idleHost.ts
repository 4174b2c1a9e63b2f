import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config.ts";
import { formatReleaseMarker } from "../../core/config/schemaParts.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { readHostOnce } from "../../core/retirement/readHost.ts";
import { createRetirementInputs } from "../../core/retirement/retirementInputs.ts";
import { commandsFor } from "../../core/util/commands.ts";
import { NodeUpgrade } from "../../providers/nodeUpgrade.ts";
import type { Host } from "../host/host.ts";
import { info, reportNextStep } from "../log.ts";
import type { NodeHostReader } from "../node/nodeReading.ts";
import { formatOtherVersion } from "../node/pillarNode.ts";
import { createHostIdentity } from "../remote.ts";
import { readOnlyDeps } from "./checkRetirement.ts";
import { HostRetirement } from "./guard.ts";

/** Registers a host on which nothing is deployed: adopted as it is, or shut down to be retired. @returns outputs */
export async function registerIdleHost(config: StackConfig, host: Host, last: LastRun, look: NodeHostReader) {
  const stack = pulumi.getStack();
  const isRetiring = config.lifecycle === "retiring";
  const run = isRetiring && (await isStillOff(config, last)) ? undefined : randomUUID();
  const shutDown = isRetiring ? { run } : undefined;
  const upgrade = isRetiring ? undefined : await registerUpgrade(config, host, last, look);
  const { shutdown } = new HostRetirement({ host, after: upgrade ? [host.guard, upgrade] : [host.guard], shutDown });
  if (shutdown === undefined) return { nextStep: reportNextStep(pulumi.output(formatAdoptedSteps(stack))) };
  const next = shutdown.isOff.apply((isOff) => formatRetiredSteps(stack, isOff));
  return { retirement: shutdown.isOff.apply((nodeOff) => ({ nodeOff })), nextStep: reportNextStep(next) };
}

/** Registers the upgrade of an adopted host's node, the only change there; undefined without a configured release. */
async function registerUpgrade(config: StackConfig, host: Host, last: LastRun, look: NodeHostReader) {
  const { release } = config.node;
  if (release === undefined) return undefined;
  const { version } = release;
  const address = config.host.provider === "existing" ? config.host.address : last.address;
  const hostKey = config.host.hostKey ?? last.hostKey;
  // Before a finished run the login is unproved, and a refused one counts towards a ban.
  const isKnown = last.finished && address !== undefined && hostKey !== undefined;
  const running = isKnown ? await (await look(address, hostKey)).version : undefined;
  const found = formatOtherVersion(running, version);
  if (pulumi.runtime.isDryRun() && (!running || found)) void info(formatUpgrade(version, running));
  const args = { ...createHostIdentity(host.access), release: formatReleaseMarker(release), found };
  return new NodeUpgrade("node-upgrade", args, { dependsOn: [...host.ready] });
}

const formatUpgrade = (version: string, running = "another version") => `\
With "yes" the node of this host is upgraded from ${running} to ${version} (node.release). The release is checked beside the running node. Then,
at a time without a slot of the Pillar, the node is stopped once and started with it. A version that does not work is taken back, unless
the one before would follow another chain. Nothing else on the host changes.`;

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
    "This host is left as it is, but for the node's version in node.release. Once its Pillar produces on another host, retire this one. STACK is the other host's stack:",
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
