import * as pulumi from "@pulumi/pulumi";
import { type NodeRpc, nodeTargetOn } from "../../core/chain/configuredNode";
import type { RetirementSettings } from "../../core/retirement/retirementInputs";
import { RetirementGuard } from "../../providers/retirementGuard";
import type { HostGround } from "../host/host";
import { rootAccessOf, sshTargetOf } from "../remote";

/** What retirement is told of a stack and the host that it may let go. */
export interface RetirementArgs {
  /** The host, and what must exist before it is guarded. */
  readonly host: HostGround;
  /** Of the stack: who produces afterwards, how the chain is asked, where backups go. Times in milliseconds. */
  readonly settings: RetirementSettings;
  /** Where the host's node answers. */
  readonly rpc: NodeRpc;
}

interface GuardArgs extends RetirementArgs {
  /** It stands behind all that was done on the host, so it is asked first. */
  readonly isLast: boolean;
  /** What must be done before it stands there. */
  readonly after?: readonly pulumi.Input<pulumi.Resource>[];
  /** The address that the host's node produces with, where it is known. */
  readonly knownProducer?: pulumi.Input<string>;
}

/** What stands between a host and its deletion: at once where there is one, and last, behind all that was done on it. */
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
      // At a cloud provider the server is; a protected guard of a server that is gone could not be replaced.
      protect: host.server === undefined && settings.lifecycle !== "retiring",
    },
  );
}

/** What is known of a host only once there is one. */
export function hostInputs({ host, rpc }: RetirementArgs) {
  const { access, isOrdered = pulumi.output(false) } = host;
  return {
    isOwnServer: isOrdered,
    host: rootAccessOf(access),
    node: sshTargetOf(access).apply((ssh) => nodeTargetOn(ssh, rpc)),
  };
}
