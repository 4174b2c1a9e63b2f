import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { lastEvent, readEvents, sinceReleased } from "../../core/eventLog/eventLog";
import { gateSettings } from "../../core/settings/gateSettings";
import { nodeTarget } from "../../core/settings/login";
import { backupDirectory, backupPlace } from "../../core/settings/orchestratorPlaces";
import type { Step } from "../../core/steps/step";
import * as steps from "../../core/steps/steps";
import { SyncGate } from "../../providers/syncGate";
import type { Host } from "../host/host";
import { runStep, stepInput } from "../remote";

export interface PillarNodeArgs {
  readonly host: Host;
  readonly config: StackConfig;
}

/**
 * Procedure A on a host (docs/specification.md, 1.1, steps 5 to 12 and 14): from preflight to the producer address, one
 * step after the other.
 */
export class PillarNode extends pulumi.ComponentResource {
  public readonly gate: SyncGate;
  /** Resolves once the node is deployed, to what the step said. */
  public readonly deployed: pulumi.Output<string>;
  /** The node's producer address; resolves only after the node was proved synced. */
  public readonly producerAddress: pulumi.Output<string>;

  constructor(name: string, { host, config }: PillarNodeArgs, options?: pulumi.ComponentResourceOptions) {
    super("pillar-host:node:PillarNode", name, {}, options);
    const identity = steps.stackIdentity(pulumi.getStack(), config.pillar.name);
    let last: pulumi.Resource[] = host.ready;
    // One connection at a time, and no step before the evidence of the one before it.
    const run = (suffix: string, step: Step) => {
      const command = runStep(`${name}-${suffix}`, step, host.access, { parent: this, dependsOn: last });
      last = [command];
      return command;
    };

    run("preflight", steps.preflight(config, identity));
    run("prepare", steps.prepare(config, identity, lastShutdown(config)));
    run("packages", steps.packages(config));
    run("controller", steps.controller(config));
    run("hourly-restart", steps.hourlyRestart(config, "syncing"));
    this.deployed = pulumi.unsecret(run("deploy", steps.deploy(config, identity)).stdout);
    this.gate = new SyncGate(
      `${name}-sync`,
      {
        target: pulumi
          .all([host.access.address, host.access.hostKey])
          .apply(([address, hostKey]) => nodeTarget(config, address, hostKey)),
        ...gateSettings(config),
        references: config.sync.references,
        title: `Pillar ${config.pillar.name} (${pulumi.getStack()})`,
        factsScript: stepInput(steps.facts(config, { logLines: 5, withStages: false }), host.access),
        addressScript: stepInput(steps.addressDigest(config), host.access),
        notify: config.notify,
        record: { directory: backupDirectory(config), stack: pulumi.getStack(), pillar: config.pillar.name },
      },
      { parent: this, dependsOn: last },
    );
    last = [this.gate];
    run("hourly-restart-off", steps.hourlyRestart(config, "synced"));
    const address = run("producer-address", steps.producerAddress(config));
    // Secret only because the login is among the inputs of what read it.
    this.producerAddress = pulumi.unsecret(address.stdout);
    this.registerOutputs({ producerAddress: this.producerAddress });
  }
}

/** A retirement that was cut off left these steps in the state as they were done before it. */
function lastShutdown(config: StackConfig): string | undefined {
  try {
    const journey = readEvents(backupPlace(config), config.pillar.name);
    return lastEvent(sinceReleased(journey, pulumi.getStack()), pulumi.getStack(), "shuttingDown")?.at;
  } catch {
    // Whoever writes to the record says what is wrong with it.
    return undefined;
  }
}

/** The output `sync`. */
export function syncShown(gate: SyncGate) {
  const { state, currentHeight, targetHeight, startedAt, syncedAt, durationSeconds, rate, proved, unproved } = gate;
  return { state, currentHeight, targetHeight, startedAt, syncedAt, durationSeconds, rate, proved, unproved };
}
