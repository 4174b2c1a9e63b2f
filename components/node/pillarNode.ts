import * as pulumi from "@pulumi/pulumi";
import { createHostNode, createOldNode } from "../../core/chain/configuredNode.ts";
import { releaseNumber } from "../../core/chain/versions.ts";
import type { ChainCopyInputs, CopyAgain, CopyHost } from "../../core/chainCopy/copyNodes.ts";
import type { StackConfig } from "../../core/config/config.ts";
import { createStackLogRef } from "../../core/config/stackStore.ts";
import type { LogEvent } from "../../core/eventLog/events.ts";
import { findValidEvents } from "../../core/eventLog/guardFacts.ts";
import type { OrchestratorHost } from "../../core/ssh/root.ts";
import { readChainCopyLibrary, readNodeReleaseLibrary } from "../../core/steps/libraries.ts";
import { chainCopyAway, createNodeSteps } from "../../core/steps/nodeSteps.ts";
import type { Step } from "../../core/steps/step.ts";
import { createNodeVariables, formatStackIdentity, releaseVariables } from "../../core/steps/stepVariables.ts";
import { createChainSources, createGateSettings, createWitnessSources } from "../../core/sync/gateSettings.ts";
import { ChainCopy } from "../../providers/chainCopy.ts";
import { NodeUpgrade, type UpgradeInputs } from "../../providers/nodeUpgrade.ts";
import { SyncGate } from "../../providers/syncGate.ts";
import type { Host } from "../host/host.ts";
import { createRootAccess, createSshTarget, createStepInput, runStep } from "../remote.ts";
import type { NodeHostReader } from "./nodeReading.ts";

interface PillarNodeArgs {
  readonly config: StackConfig;
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

  constructor(name: string, { config, host, events, look }: PillarNodeArgs) {
    super("pillar-host:node:PillarNode", name);
    const stack = pulumi.getStack();
    const identity = formatStackIdentity(stack, config.pillar.name);
    // The state does not know two things that the event log does: a retirement that was interrupted after it stopped
    // the node, so that the steps must run again, and a chain copy that may have left files.
    const begunAt = (event: "shuttingDown" | "copying") => findValidEvents(events, stack, event).at(-1)?.at;
    const steps = createNodeSteps(config, identity, begunAt("shuttingDown"));
    const target = createSshTarget(host.access).apply((ssh) => createHostNode(config, ssh));
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
    const upgrade = createUpgradeInputs(config);
    if (upgrade) {
      const found = findOtherVersion(upgrade.release.version, host, deployed, look) as pulumi.Output<string>;
      const args = { ...upgrade, host: createRootAccess(host.access), node: target, found };
      last = [new NodeUpgrade(`${name}-upgrade`, args, next())];
    }
    const copy = createChainCopyArgs(config, stack);
    const begun = begunAt("copying");
    if (copy) {
      const fresh = createRootAccess(host.access).apply((to) => createNewSide(config, to));
      const again = copy.again && findUnsynced(copy.again, host, look);
      const both = { ...copy, old: pulumi.secret(copy.old), new: fresh, again, begun };
      this.chainCopy = new ChainCopy(`${name}-chain-copy`, both, next());
      last = [this.chainCopy];
    } else if (begun) run("chain-copy-away", chainCopyAway(config, identity, begun));
    const gate = {
      ...createGateSettings(config),
      ...createWitnessSources(config),
      target,
      factsScript: createStepInput(steps.facts, host.access),
      addressScript: createStepInput(steps.addressDigest, host.access),
      title: `Pillar ${config.pillar.name} (${stack})`,
      notify: config.notify,
    };
    this.gate = new SyncGate(`${name}-sync`, gate, next());
    last = [this.gate];
    run("hourly-restart-off", steps.hourlyRestartOff);
    const address = run("producer-address", steps.producerAddress);
    // The address is no secret. The step's output is one only because the step's inputs hold the login.
    this.producerAddress = pulumi.unsecret(address.stdout);
    this.done = address.proved;
    this.registerOutputs({ producerAddress: this.producerAddress });
  }
}

/** Returns the inputs of the upgrade; undefined if the controller's version of the node stays. */
export function createUpgradeInputs(config: StackConfig): Omit<UpgradeInputs, "host" | "node" | "found"> | undefined {
  const { node, pillar, network, orchestrator, stack } = config;
  if (node.release === undefined) return undefined;
  return {
    stack,
    pillar: pillar.name,
    signerPort: orchestrator.rpcPort,
    library: readNodeReleaseLibrary(),
    release: { ...createNodeVariables(config), ...releaseVariables(node.release) },
    network: { momentum: network.momentum, tickMomentums: network.tickMomentums },
    ...createWitnessSources(config),
  };
}

/** Returns a new text in each run that finds another version of the deployed node running; else undefined. */
function findOtherVersion(
  version: string,
  { access }: Host,
  deployed: pulumi.Output<string>,
  look: NodeHostReader | undefined,
) {
  return pulumi
    .all([access.address, access.hostKey, deployed])
    .apply(async ([at, key]) => formatOtherVersion(await (await look?.(at, key))?.version, version));
}

/** Adds to a confirmation a new text in each run that finds the node not synced, so that the copy looks again. */
function findUnsynced(again: CopyAgain, { access }: Host, look: NodeHostReader | undefined) {
  return pulumi.all([access.address, access.hostKey]).apply(async ([at, key]): Promise<CopyAgain> => {
    const node = await (await look?.(at, key))?.node;
    return node && !node.synced ? { ...again, found: `${Date.now()}` } : again;
  });
}

/** Returns a new text each time if another version than the release runs; else undefined. */
export const formatOtherVersion = (running: string | undefined, version: string) =>
  running === undefined || releaseNumber(running) === version ? undefined : `${running} ${Date.now()}`;

/** Returns the chain copy's inputs, the old host's login in clear; undefined if the chain comes from the network. */
export function createChainCopyArgs(config: StackConfig, stack: string): Omit<ChainCopyInputs, "new"> | undefined {
  const { sync, node, network, pillar } = config;
  if (sync.from !== "oldHost") return undefined;
  const { host, service, dataDir, copyAddress, node: old } = createOldNode(config);
  return {
    stack,
    identity: formatStackIdentity(stack, pillar.name),
    old: { host, node: old, service: service ?? node.service, dataDir: dataDir ?? node.dataDir },
    copy: { address: copyAddress ?? host.ssh.address, port: host.ssh.port },
    limitMbps: sync.copyMbps ?? 0,
    momentum: network.momentum,
    ...createChainSources(config),
    record: createStackLogRef(config),
    library: readChainCopyLibrary(),
    again: sync.copyAgain === undefined ? undefined : { word: sync.copyAgain, stallAfter: sync.stallMinutes * 60_000 },
  };
}

function createNewSide(config: StackConfig, host: OrchestratorHost): CopyHost {
  const { service, dataDir } = config.node;
  return { host, node: createHostNode(config, host.ssh), service, dataDir };
}

export function createSyncOutput(gate: SyncGate) {
  const { state, currentHeight, targetHeight, startedAt, syncedAt, durationSeconds, rate, proved, unproved } = gate;
  return { state, currentHeight, targetHeight, startedAt, syncedAt, durationSeconds, rate, proved, unproved };
}
