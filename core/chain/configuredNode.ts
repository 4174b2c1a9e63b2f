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
