import * as pulumi from "@pulumi/pulumi";
import type { GuardMemory } from "../../core/retirement/guardMemory";
import { NodeShutdown } from "../../providers/nodeShutdown";
import type { RetirementGuard } from "../../providers/retirementGuard";
import { createGuard, hostInputs, type RetirementArgs } from "./guard";

export interface HostRetirementArgs extends RetirementArgs {
  /** All that is done on the host in a run: the last guard stands behind it. */
  readonly after: readonly pulumi.Input<pulumi.Resource>[];
  /** The address that the host's node produces with, where it is known. */
  readonly knownProducer?: pulumi.Input<string>;
  /** The node is to be shut down for good. */
  readonly shutDown?: {
    /** The guard that knows how the host's time with this stack began. */
    readonly first: RetirementGuard;
    /** A new value in each run until the node is off. */
    readonly run: string | undefined;
  };
}

/**
 * The end of a host (docs/specification.md, 1.1, step 15): the shutdown of its node, where it is retired, and the guard
 * that is asked first when the stack is destroyed.
 */
export class HostRetirement extends pulumi.ComponentResource {
  public readonly shutdown?: NodeShutdown;
  /** The one that is asked first. */
  public readonly guard: RetirementGuard;
  /** The guard's facts about the host's beginning. */
  public readonly memory?: pulumi.Output<GuardMemory>;

  constructor(name: string, args: HostRetirementArgs, options?: pulumi.ComponentResourceOptions) {
    super("pillar-host:retirement:HostRetirement", name, {}, options);
    const { after, shutDown } = args;
    if (shutDown) {
      const { first, run } = shutDown;
      this.memory = pulumi
        .all([first.createdAt, first.isReached, first.isOwnWork, first.produced])
        .apply(([createdAt, isReached, isOwnWork, produced]) => ({ createdAt, isReached, isOwnWork, produced }));
      this.shutdown = new NodeShutdown(
        "node-shutdown",
        { ...args.settings, ...hostInputs(args), memory: this.memory, run },
        { parent: this, dependsOn: [first] },
      );
    }
    const before = [...after, ...(this.shutdown ? [this.shutdown] : [])];
    this.guard = createGuard("guard", { ...args, isLast: true, after: before }, this);
    this.registerOutputs({});
  }
}
