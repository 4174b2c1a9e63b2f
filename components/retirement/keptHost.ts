import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config.ts";
import { formatReleaseMarker } from "../../core/config/schemaParts.ts";
import { formatConsent } from "../../core/journey/consent.ts";
import { decideNextStep } from "../../core/journey/decideNextStep.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { readHostOnce } from "../../core/retirement/readHost.ts";
import { createRetirementInputs } from "../../core/retirement/retirementInputs.ts";
import { NodeUpgrade } from "../../providers/nodeUpgrade.ts";
import type { Host } from "../host/host.ts";
import { announce, reportNextStep } from "../log.ts";
import type { NodeHostReader } from "../node/nodeReading.ts";
import { formatOtherVersion } from "../node/pillarNode.ts";
import { createHostIdentity } from "../remote.ts";
import { readOnlyDeps } from "./checkRetirement.ts";
import { HostRetirement } from "./guard.ts";

/** Registers a host on which nothing is deployed: adopted as it is, or shut down to be retired. @returns outputs */
export async function registerKeptHost(config: StackConfig, host: Host, last: LastRun, look: NodeHostReader) {
  const isRetiring = config.lifecycle === "retiring";
  const run = isRetiring && (await isStillOff(config, last)) ? undefined : randomUUID();
  const shutDown = isRetiring ? { run } : undefined;
  void announce(formatConsent(config, last, { isOff: run === undefined }));
  const upgrade = isRetiring ? undefined : await registerUpgrade(config, host, last, look);
  const { shutdown } = new HostRetirement({ host, after: upgrade ? [host.guard, upgrade] : [host.guard], shutDown });
  const facts = { stack: config.stack, pillar: config.pillar.name, lifecycle: config.lifecycle, run: {} };
  if (shutdown === undefined) return { nextStep: reportNextStep(pulumi.output([...decideNextStep(facts).lines])) };
  const next = shutdown.isOff.apply((isOff) => {
    const node = isOff ? { value: { active: false, masked: true } } : { problem: "it does not answer" };
    return [...decideNextStep({ ...facts, parts: { node } }).lines];
  });
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
  if (!running || found) void announce(formatUpgrade(version, running));
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
