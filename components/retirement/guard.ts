import * as pulumi from "@pulumi/pulumi";
import { type NodeRpc, resolveNode } from "../../core/chain/configuredNode";
import type { RetirementSettings } from "../../core/retirement/retirementInputs";
import { NodeShutdown } from "../../providers/nodeShutdown";
import { RetirementGuard } from "../../providers/retirementGuard";
import type { ReachableHost } from "../host/host";
import { createRootAccess, createSshTarget } from "../remote";

export interface RetirementArgs {
  /** The host, and the resources that must exist before it is guarded. */
  readonly host: ReachableHost;
  /** Inputs from the configuration. Times in milliseconds. */
  readonly settings: RetirementSettings;
  readonly rpc: NodeRpc;
}

interface GuardArgs extends RetirementArgs {
  /** True for the guard that depends on all work on the host, so that a destroy asks it first. */
  readonly isLast: boolean;
  readonly after?: readonly pulumi.Input<pulumi.Resource>[];
  readonly knownProducer?: pulumi.Input<string>;
}

/**
 * Registers a guard against the host's deletion. The first guard depends on the host alone, the last one on all work on
 * the host.
 */
export function createGuard(name: string, args: GuardArgs, parent: pulumi.Resource): RetirementGuard {
  const { host, settings, isLast, after = [], knownProducer } = args;
  return new RetirementGuard(
    name,
    {
      ...settings,
      ...createHostInputs(args),
      isLast,
      server: host.server,
      serverId: host.server && pulumi.unsecret(host.server).id,
      ...(knownProducer === undefined ? {} : { knownProducer }),
    },
    {
      parent,
      dependsOn: [...host.ready, ...after],
      // Off for a cloud server: its provider protects it, and a protected guard of a vanished server can't be replaced.
      protect: host.server === undefined && settings.lifecycle !== "retiring",
    },
  );
}

function createHostInputs({ host, rpc }: RetirementArgs) {
  const { access, isOrdered = pulumi.output(false) } = host;
  return {
    isOwnServer: isOrdered,
    host: createRootAccess(access),
    node: createSshTarget(access).apply((ssh) => resolveNode(ssh, rpc)),
  };
}

interface HostRetirementArgs extends RetirementArgs {
  /** All resources of a run that work on the host. The last guard depends on them. */
  readonly after: readonly pulumi.Input<pulumi.Resource>[];
  readonly knownProducer?: pulumi.Input<string>;
  /** Set if the node must be shut down for good. */
  readonly shutDown?: {
    /** The first guard, which knows how the host came to this stack. */
    readonly first: RetirementGuard;
    /** A new value in each run until the node is off. */
    readonly run: string | undefined;
  };
}

/**
 * The end of a host (docs/specification.md, 1.1, step 15): the shutdown of its node if it is retired, and the guard
 * that a destroy asks first.
 */
export class HostRetirement extends pulumi.ComponentResource {
  public readonly shutdown?: NodeShutdown;
  public readonly guard: RetirementGuard;

  constructor(name: string, { shutDown, ...args }: HostRetirementArgs) {
    super("pillar-host:retirement:HostRetirement", name);
    if (shutDown) {
      const { first, run } = shutDown;
      const { createdAt, isReached, isOwnWork, produced } = first;
      const memory = pulumi.output({ createdAt, isReached, isOwnWork, produced });
      const inputs = { ...args.settings, ...createHostInputs(args), memory, run };
      this.shutdown = new NodeShutdown("node-shutdown", inputs, { parent: this, dependsOn: [first] });
    }
    const after = [...args.after, ...(this.shutdown ? [this.shutdown] : [])];
    this.guard = createGuard("guard", { ...args, isLast: true, after }, this);
    this.registerOutputs({});
  }
}
