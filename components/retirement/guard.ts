import * as pulumi from "@pulumi/pulumi";
import { type NodeRpc, nodeTargetOn } from "../../core/chain/configuredNode";
import type { RetirementSettings } from "../../core/retirement/retirementInputs";
import { RetirementGuard } from "../../providers/retirementGuard";
import type { HostGround } from "../host/host";
import { createRootAccess, createSshTarget } from "../remote";

/** Arguments of a guard: the stack and its host. */
export interface RetirementArgs {
  /** The host, and what must exist before it is guarded. */
  readonly host: HostGround;
  /** Inputs from the configuration. Times in milliseconds. */
  readonly settings: RetirementSettings;
  readonly rpc: NodeRpc;
}

interface GuardArgs extends RetirementArgs {
  /** It stands behind all that was done on the host, so it is asked first. */
  readonly isLast: boolean;
  /** Resources that must exist before this guard. */
  readonly after?: readonly pulumi.Input<pulumi.Resource>[];
  /** The address that the host's node produces with, where it is known. */
  readonly knownProducer?: pulumi.Input<string>;
}

/**
 * Registers a guard before the host's deletion: the first one with the host, the last one behind all that was done on
 * it.
 */
export function createGuard(name: string, args: GuardArgs, parent: pulumi.Resource): RetirementGuard {
  const { host, settings, isLast, after = [], knownProducer } = args;
  return new RetirementGuard(
    name,
    {
      ...settings,
      ...hostInputs(args),
      isLast,
      server: host.server,
      serverId: host.server && pulumi.unsecret(host.server).id,
      ...(knownProducer === undefined ? {} : { knownProducer }),
    },
    {
      parent,
      dependsOn: [...host.ready, ...after],
      // The provider protects the server itself, and a protected guard of a vanished server could not be replaced.
      protect: host.server === undefined && settings.lifecycle !== "retiring",
    },
  );
}

export function hostInputs({ host, rpc }: RetirementArgs) {
  const { access, isOrdered = pulumi.output(false) } = host;
  return {
    isOwnServer: isOrdered,
    host: createRootAccess(access),
    node: createSshTarget(access).apply((ssh) => nodeTargetOn(ssh, rpc)),
  };
}
