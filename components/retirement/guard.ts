import * as pulumi from "@pulumi/pulumi";
import { NodeShutdown } from "../../providers/nodeShutdown.ts";
import { hashToken, RetirementGuard } from "../../providers/retirementGuard.ts";
import type { Host, ReachableHost } from "../host/host.ts";

interface GuardArgs {
  readonly host: ReachableHost;
  /** True for the guard that depends on all work on the host, so that a destroy asks it first. */
  readonly isLast: boolean;
  readonly after?: readonly pulumi.Input<pulumi.Resource>[];
  readonly knownProducer?: pulumi.Input<string> | undefined;
}

/** Registers a guard against the host's deletion. The first depends on the host alone, the last on all work on it. */
export function createGuard(name: string, args: GuardArgs, parent: pulumi.Resource): RetirementGuard {
  const { host, isLast, after = [], knownProducer } = args;
  return new RetirementGuard(
    name,
    {
      ...createInputs(host),
      isLast,
      serverId: host.serverId,
      ...(knownProducer === undefined ? {} : { knownProducer }),
    },
    {
      parent,
      dependsOn: [...host.ready, ...after],
      // Off for a cloud server: its provider protects it, and a protected guard of a vanished server can't be replaced.
      protect: host.serverId === undefined && host.config.lifecycle !== "retiring",
    },
  );
}

function createInputs({ access, config, isOrdered = pulumi.output(false), orderedAt }: ReachableHost) {
  const { stack, address, hostKey } = access;
  const { pillar, lifecycle, host } = config;
  const order = { isOwnServer: isOrdered, ...(orderedAt === undefined ? {} : { orderedAt }) };
  const { provider } = host;
  return { stack, address, hostKey, pillar: pillar.name, lifecycle, provider, token: hashToken(host), ...order };
}

interface HostRetirementArgs {
  readonly host: Host;
  /** All resources of a run that work on the host. The last guard depends on them. */
  readonly after: readonly pulumi.Input<pulumi.Resource>[];
  readonly knownProducer?: pulumi.Input<string>;
  /** Set if the node must be shut down for good. `run`: a new value in each run until the node is off. */
  readonly shutDown?: { readonly run: string | undefined } | undefined;
}

/** A host's end (docs/specification.md, 1.1, step 15): its node's shutdown, and the guard that a destroy asks first. */
export class HostRetirement extends pulumi.ComponentResource {
  public readonly shutdown?: NodeShutdown;
  public readonly guard: RetirementGuard;

  constructor({ host, after, knownProducer, shutDown }: HostRetirementArgs) {
    super(
      "pillar-host:host:Retirement",
      "retirement",
      {},
      { aliases: [{ type: "pillar-host:retirement:HostRetirement" }] },
    );
    if (shutDown) {
      // The first guard knows how the host came to this stack.
      const { createdAt, isReached, isOwnWork, logHead } = host.guard;
      const memory = pulumi.output({ createdAt, isReached, isOwnWork, logHead });
      const inputs = { ...createInputs(host), memory, ...shutDown };
      this.shutdown = new NodeShutdown("node-shutdown", inputs, { parent: this, dependsOn: [host.guard] });
    }
    const all = [...after, ...(this.shutdown ? [this.shutdown] : [])];
    this.guard = createGuard("guard", { host, isLast: true, after: all, knownProducer }, this);
    this.registerOutputs({});
  }
}
