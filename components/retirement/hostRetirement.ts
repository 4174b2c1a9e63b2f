import * as pulumi from "@pulumi/pulumi";
import type { GuardMemory } from "../../core/retirement/guardMemory";
import { NodeShutdown } from "../../providers/nodeShutdown";
import type { RetirementGuard } from "../../providers/retirementGuard";
import { createGuard, createHostInputs, type RetirementArgs } from "./guard";

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
  /** The first guard's facts about the host since it came to this stack. */
  public readonly memory?: pulumi.Output<GuardMemory>;

  constructor(name: string, args: HostRetirementArgs) {
    super("pillar-host:retirement:HostRetirement", name);
    const { after, shutDown } = args;
    if (shutDown) {
      const { first, run } = shutDown;
      this.memory = pulumi
        .all([first.createdAt, first.isReached, first.isOwnWork, first.produced])
        .apply(([createdAt, isReached, isOwnWork, produced]) => ({ createdAt, isReached, isOwnWork, produced }));
      this.shutdown = new NodeShutdown(
        "node-shutdown",
        { ...args.settings, ...createHostInputs(args), memory: this.memory, run },
        { parent: this, dependsOn: [first] },
      );
    }
    const before = [...after, ...(this.shutdown ? [this.shutdown] : [])];
    this.guard = createGuard("guard", { ...args, isLast: true, after: before }, this);
    this.registerOutputs({});
  }
}
