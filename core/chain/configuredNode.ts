import type { StackConfig } from "../config/config.ts";
import { createHostTarget, createOtherLogin } from "../ssh/configuredLogin.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import type { NodeTarget } from "./node.ts";
import { createVersionRules } from "./versionRules.ts";

export function createOtherNode(
  config: Pick<StackConfig, "node">,
  ssh: SshTarget,
  port = config.node.rpcPort,
): NodeTarget {
  return { ssh, via: "ssh", address: "127.0.0.1", port, versions: createVersionRules(config) };
}

/** Returns how to reach the node of the stack's host. For direct access, the host's address replaces 127.0.0.1. */
export function createHostNode(config: Pick<StackConfig, "node">, ssh: SshTarget): NodeTarget {
  const { rpc: via, rpcAddress, rpcPort: port } = config.node;
  const address = via === "direct" && rpcAddress === "127.0.0.1" ? ssh.address : rpcAddress;
  return { ssh, via, address, port, versions: createVersionRules(config) };
}

/** Returns how to reach the node of the stack's host, the login in clear: make it a Pulumi secret in an input. */
export function createNodeTarget(config: StackConfig, hostAddress: string, hostKey: string): NodeTarget {
  return createHostNode(config, createHostTarget(config, hostAddress, hostKey));
}

/** Returns the old host. Names that it has none of are those of this stack's host. @throws if none is configured */
export function createOldHost(config: StackConfig) {
  const { oldHost, node, orchestrator } = config;
  // Cannot happen: the configuration's checks refuse this case.
  if (oldHost === undefined) throw new Error("pillar-host:oldHost is not configured");
  const { address, copyAddress = address, service = node.service, dataDir = node.dataDir } = oldHost;
  const host = createOtherLogin(config, oldHost, "pillar-host:oldHost");
  return {
    host,
    copyAddress,
    service,
    dataDir,
    node: createOtherNode(config, host.ssh, oldHost.rpcPort),
    orchestrator: {
      service: oldHost.orchestrator.service ?? orchestrator.service,
      directory: oldHost.orchestrator.directory ?? orchestrator.directory,
      executable: oldHost.orchestrator.executable ?? orchestrator.executable,
      rpcPort: orchestrator.rpcPort,
      nodeDirectory: dataDir,
    },
  };
}
