import * as pulumi from "@pulumi/pulumi";
import { createOldHost } from "../../core/chain/configuredNode.ts";
import { releaseNumber } from "../../core/chain/versions.ts";
import { formatReleaseMarker } from "../../core/config/schemaParts.ts";
import type { LogEvent } from "../../core/eventLog/events.ts";
import { findValidEvents } from "../../core/eventLog/guardFacts.ts";
import { chainCopyAway, createNodeSteps } from "../../core/steps/nodeSteps.ts";
import type { Step } from "../../core/steps/step.ts";
import { formatStackIdentity } from "../../core/steps/stepVariables.ts";
import { ChainCopy } from "../../providers/chainCopy.ts";
import { NodeUpgrade } from "../../providers/nodeUpgrade.ts";
import { SyncGate } from "../../providers/syncGate.ts";
import type { Host } from "../host/host.ts";
import { createHostIdentity, runStep } from "../remote.ts";
import type { NodeHostReader } from "./nodeReading.ts";

interface PillarNodeArgs {
  readonly host: Host;
  /** Events of the Pillar's stacks. */
  readonly events: readonly LogEvent[];
  readonly look?: NodeHostReader;
}

/** Procedure A on a host, one step after the other (docs/specification.md, 1.1, steps 5 to 12 and 14). */
export class PillarNode extends pulumi.ComponentResource {
  public readonly gate: SyncGate;
  public readonly chainCopy?: ChainCopy;
  /** The node's producer address. Resolves only after the node was proved synced. */
  public readonly producerAddress: pulumi.Output<string>;
  /** The last step, on which later resources depend. */
  public readonly done: pulumi.Input<pulumi.Resource>;

  constructor(name: string, { host, events, look }: PillarNodeArgs) {
    super("pillar-host:node:PillarNode", name);
    const { config } = host;
    const stack = pulumi.getStack();
    const identity = formatStackIdentity(stack, config.pillar.name);
    // The state does not know two things that the event log does: a retirement that was interrupted after it stopped
    // the node, so that the steps must run again, and a chain copy that may have left files.
    const begunAt = (event: "shuttingDown" | "copying") => findValidEvents(events, stack, event).at(-1)?.at;
    const steps = createNodeSteps(config, identity, begunAt("shuttingDown"));
    const known = createHostIdentity(host.access);
    let last: readonly pulumi.Input<pulumi.Resource>[] = host.ready;
    // Each step waits until the step before has proved that it is done, so only one connection is open at a time.
    const next = () => ({ parent: this, dependsOn: [...last] });
    const run = (suffix: string, step: Step) => {
      const done = runStep(`${name}-${suffix}`, step, host.access, next());
      last = [done.proved];
      return done;
    };

    run("preflight", steps.preflight);
    run("prepare", steps.prepare);
    run("packages", steps.packages);
    run("controller", steps.controller);
    run("hourly-restart", steps.hourlyRestartOn);
    const deployed = pulumi.unsecret(run("deploy", steps.deploy).stdout);
    const { release } = config.node;
    if (release) {
      const found = findOtherVersion(release.version, host, deployed, look) as pulumi.Output<string>;
      const args = { ...known, release: formatReleaseMarker(release), found };
      last = [new NodeUpgrade(`${name}-upgrade`, args, next())];
    }
    const begun = begunAt("copying");
    if (config.sync.from === "oldHost") {
      const { address, hostKey } = createOldHost(config).host.ssh;
      const again = config.sync.copyAgain;
      const found = again === undefined ? undefined : (findUnsynced(host, look) as pulumi.Output<string>);
      const args = { ...known, oldHost: { address, hostKey }, begun, again, found };
      this.chainCopy = new ChainCopy(`${name}-chain-copy`, args, next());
      last = [this.chainCopy];
    } else if (begun) run("chain-copy-away", chainCopyAway(config, identity, begun));
    this.gate = new SyncGate(`${name}-sync`, known, next());
    last = [this.gate];
    run("hourly-restart-off", steps.hourlyRestartOff);
    const address = run("producer-address", steps.producerAddress);
    // The address is no secret. The step's output is one only because the step's inputs hold the login.
    this.producerAddress = pulumi.unsecret(address.stdout);
    this.done = address.proved;
    this.registerOutputs({ producerAddress: this.producerAddress });
  }
}

/** Returns a new text in each run that finds another version of the deployed node running; else undefined. */
function findOtherVersion(version: string, { access }: Host, deployed: pulumi.Output<string>, look?: NodeHostReader) {
  return pulumi
    .all([access.address, access.hostKey, deployed])
    .apply(async ([at, key]) => formatOtherVersion(await (await look?.(at, key))?.version, version));
}

/** Returns a new text in each run that finds the node not synced; else undefined. */
function findUnsynced({ access }: Host, look: NodeHostReader | undefined) {
  return pulumi.all([access.address, access.hostKey]).apply(async ([at, key]) => {
    const node = await (await look?.(at, key))?.node;
    return node && !node.synced ? `${Date.now()}` : undefined;
  });
}

/** Returns a new text each time if another version than the release runs; else undefined. */
export const formatOtherVersion = (running: string | undefined, version: string) =>
  running === undefined || releaseNumber(running) === version ? undefined : `${running} ${Date.now()}`;

export function createSyncOutput(gate: SyncGate) {
  const { state, currentHeight, targetHeight, startedAt, syncedAt, durationSeconds, rate, proved, unproved } = gate;
  return { state, currentHeight, targetHeight, startedAt, syncedAt, durationSeconds, rate, proved, unproved };
}
