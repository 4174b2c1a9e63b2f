import type { StackConfig } from "../config/config";
import { createHostTarget, createOtherLogin } from "../ssh/configuredLogin";
import type { SshTarget } from "../ssh/ssh";
import type { NodeTarget } from "./node";
import { createVersionRules } from "./versionRules";

export type NodeRpc = Omit<NodeTarget, "ssh">;

export function createNodeRpc(config: Pick<StackConfig, "node">): NodeRpc {
  const { rpc, rpcAddress, rpcPort } = config.node;
  return { via: rpc, address: rpcAddress, port: rpcPort, versions: createVersionRules(config) };
}

export function createOtherNode(
  config: Pick<StackConfig, "node">,
  ssh: SshTarget,
  port = config.node.rpcPort,
): NodeTarget {
  return { ssh, via: "ssh", address: "127.0.0.1", port, versions: createVersionRules(config) };
}

/** Returns how to reach a host's node. For direct access, the host's address replaces 127.0.0.1. */
export function resolveNode(ssh: SshTarget, rpc: NodeRpc): NodeTarget {
  const isHost = rpc.via === "direct" && rpc.address === "127.0.0.1";
  return { ssh, ...rpc, ...(isHost ? { address: ssh.address } : {}) };
}

/** Returns how to reach the node of the stack's host, the login in clear: make it a Pulumi secret in an input. */
export function createNodeTarget(config: StackConfig, hostAddress: string, hostKey: string): NodeTarget {
  return resolveNode(createHostTarget(config, hostAddress, hostKey), createNodeRpc(config));
}

/** @throws if no old host is configured */
export function createOldNode(config: StackConfig) {
  const { oldHost } = config.sync;
  const login = oldHost ?? config.orchestrator.migrateFrom;
  // Cannot happen: the configuration's checks refuse this case.
  if (login === undefined) throw new Error("pillar-host:sync.oldHost is not configured");
  const { dataDir, copyAddress } = login;
  const host = createOtherLogin(config, login, `pillar-host:${oldHost ? "sync.oldHost" : "orchestrator.migrateFrom"}`);
  const node = createOtherNode(config, host.ssh, oldHost?.rpcPort);
  return { host, dataDir, copyAddress, service: oldHost?.service, node };
}
