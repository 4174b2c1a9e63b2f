import * as pulumi from "@pulumi/pulumi";
import { createNodeRpc, resolveNode } from "../../core/chain/configuredNode";
import { releaseNumber } from "../../core/chain/versions";
import type { StackConfig } from "../../core/config/config";
import { findValidEvents } from "../../core/eventLog/guardFacts";
import type { OrchestratorHost } from "../../core/ssh/root";
import { readNodeReleaseLibrary } from "../../core/steps/libraries";
import { chainCopyAway, createNodeSteps } from "../../core/steps/nodeSteps";
import type { Step } from "../../core/steps/step";
import { createNodeVariables, formatStackIdentity, releaseVariables } from "../../core/steps/stepVariables";
import { createGateSettings, createWitnessSources } from "../../core/sync/gateSettings";
import { ChainCopy } from "../../providers/chainCopy";
import { NodeUpgrade, type UpgradeInputs } from "../../providers/nodeUpgrade";
import { SyncGate } from "../../providers/syncGate";
import type { Host } from "../host/host";
import { createRootAccess, createSshTarget, createStepInput, runStep } from "../remote";
import { readStackEventsOrNone } from "../stackLog";
import { createChainCopyArgs, createNewSide } from "./chainCopyArgs";
import type { NodeHostReader } from "./nodeReading";

type PillarNodeArgs = Awaited<ReturnType<typeof createPillarNodeArgs>>;

export async function createPillarNodeArgs(config: StackConfig, host: Host, look?: NodeHostReader) {
  const [stack, pillar] = [pulumi.getStack(), config.pillar.name];
  const from = createChainCopyArgs(config, stack);
  const identity = formatStackIdentity(stack, pillar);
  // The state does not know two things that the event log does: a retirement that was interrupted after it stopped the
  // node, so that the steps must run again, and a chain copy that may have left files.
  const events = await readStackEventsOrNone(config);
  const begun = from ? undefined : findValidEvents(events, stack, "copying").at(-1)?.at;
  return {
    host,
    steps: createNodeSteps(config, identity, findValidEvents(events, stack, "shuttingDown").at(-1)?.at),
    rpc: createNodeRpc(config),
    /** Absent if the controller's version of the node stays. */
    upgrade: createUpgradeInputs(config),
    look,
    /** Inputs of the sync gate. Times in milliseconds. */
    sync: {
      ...createGateSettings(config),
      ...createWitnessSources(config),
      title: `Pillar ${pillar} (${stack})`,
      notify: config.notify,
    },
    /** Inputs of the chain copy; absent if the chain comes from the network. */
    chain: from ? { from, to: (to: OrchestratorHost) => createNewSide(config, to) } : undefined,
    /** Removes what an interrupted chain copy left, once the copy is no longer configured. */
    chainCopyAway: begun === undefined ? undefined : chainCopyAway(config, identity, begun),
  };
}

function createUpgradeInputs(config: StackConfig): Omit<UpgradeInputs, "host" | "node" | "found"> | undefined {
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

/** Procedure A on a host, one step after the other (docs/specification.md, 1.1, steps 5 to 12 and 14). */
export class PillarNode extends pulumi.ComponentResource {
  public readonly gate: SyncGate;
  public readonly chainCopy?: ChainCopy;
  /** Output of the deploy step. Resolves once the node is deployed. */
  public readonly deployed: pulumi.Output<string>;
  /** The node's producer address. Resolves only after the node was proved synced. */
  public readonly producerAddress: pulumi.Output<string>;
  /** The last step, on which later resources depend. */
  public readonly done: pulumi.Input<pulumi.Resource>;

  constructor(name: string, { host, steps, rpc, sync, chain, chainCopyAway, upgrade, look }: PillarNodeArgs) {
    super("pillar-host:node:PillarNode", name);
    let last: readonly pulumi.Input<pulumi.Resource>[] = host.ready;
    const target = createSshTarget(host.access).apply((ssh) => resolveNode(ssh, rpc));
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
    this.deployed = pulumi.unsecret(run("deploy", steps.deploy).stdout);
    if (upgrade) {
      const found = pulumi.all([host.access.address, host.access.hostKey, this.deployed]).apply(async ([at, key]) => {
        const running = await (await look?.(at, key))?.version;
        const isOther = running !== undefined && releaseNumber(running) !== upgrade.release.version;
        return isOther ? `${running} ${Date.now()}` : undefined;
      });
      const args = {
        ...upgrade,
        host: createRootAccess(host.access),
        node: target,
        found: found as pulumi.Output<string>,
      };
      last = [new NodeUpgrade(`${name}-upgrade`, args, next())];
    }
    if (chain) {
      const sides = { old: pulumi.secret(chain.from.old), new: createRootAccess(host.access).apply(chain.to) };
      this.chainCopy = new ChainCopy(`${name}-chain-copy`, { ...chain.from, ...sides }, next());
      last = [this.chainCopy];
    }
    if (chainCopyAway) run("chain-copy-away", chainCopyAway);
    this.gate = new SyncGate(
      `${name}-sync`,
      {
        ...sync,
        target,
        factsScript: createStepInput(steps.facts, host.access),
        addressScript: createStepInput(steps.addressDigest, host.access),
      },
      next(),
    );
    last = [this.gate];
    run("hourly-restart-off", steps.hourlyRestartOff);
    const address = run("producer-address", steps.producerAddress);
    // The address is no secret. The step's output is one only because the step's inputs hold the login.
    this.producerAddress = pulumi.unsecret(address.stdout);
    this.done = address.proved;
    this.registerOutputs({ producerAddress: this.producerAddress });
  }
}

export function createSyncOutput(gate: SyncGate) {
  const { state, currentHeight, targetHeight, startedAt, syncedAt, durationSeconds, rate, proved, unproved } = gate;
  return { state, currentHeight, targetHeight, startedAt, syncedAt, durationSeconds, rate, proved, unproved };
}
