import type { StackConfig } from "../config/config";
import { otherLogin, sshTarget } from "../ssh/configuredLogin";
import type { SshTarget } from "../ssh/ssh";
import type { NodeTarget } from "./node";
import { versionRules } from "./versionRules";

/** Where the node's RPC is on its host, and the way there: through ssh, or to its port. */
export type NodeRpc = Omit<NodeTarget, "ssh">;

/** The node's RPC as configured, and the versions that are required. */
export function nodeRpc(config: Pick<StackConfig, "node">): NodeRpc {
  const { rpc, rpcAddress, rpcPort } = config.node;
  return { via: rpc, address: rpcAddress, port: rpcPort, versions: versionRules(config) };
}

/** The node of another host: its RPC is asked through ssh. */
export function otherNode(config: Pick<StackConfig, "node">, ssh: SshTarget, port = config.node.rpcPort): NodeTarget {
  return { ssh, via: "ssh", address: "127.0.0.1", port, versions: versionRules(config) };
}

/** How the node's RPC is reached on a host. Asked directly it listens where the host is reached. */
export function nodeTargetOn(ssh: SshTarget, rpc: NodeRpc): NodeTarget {
  const isHost = rpc.via === "direct" && rpc.address === "127.0.0.1";
  return { ssh, ...rpc, ...(isHost ? { address: ssh.address } : {}) };
}

/** The same of a stack's own host (plain values; wrap them before they become an input). */
export function nodeTarget(config: StackConfig, hostAddress: string, hostKey: string): NodeTarget {
  return nodeTargetOn(sshTarget(config, hostAddress, hostKey), nodeRpc(config));
}

/** The old host with its node, as configured. @throws where there is none */
export function oldNode(config: StackConfig) {
  const { rpcPort, ...old } = oldHostOf(config);
  return { ...old, node: otherNode(config, old.host.ssh, rpcPort) };
}

function oldHostOf(config: StackConfig) {
  const own = config.sync.oldHost;
  if (own !== undefined) return { ...own, host: otherLogin(config, own, "pillar-host:sync.oldHost") };
  const from = config.orchestrator.migrateFrom;
  // A configuration without one is refused.
  if (from === undefined) throw new Error("pillar-host:sync.oldHost is not configured");
  const { dataDir, copyAddress } = from;
  const host = otherLogin(config, from, "pillar-host:orchestrator.migrateFrom");
  return { host, dataDir, copyAddress, service: undefined, rpcPort: undefined };
}
