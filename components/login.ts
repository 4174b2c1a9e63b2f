import * as pulumi from "@pulumi/pulumi";
import type { NodeTarget } from "../providers/rpc/node";
import type { StackConfig } from "./config";
import type { HostAccess } from "./remote";

/** The login of pillar-host:ssh, secrets marked as such. */
export function loginOf({ ssh }: StackConfig): Omit<HostAccess, "address" | "hostKey"> {
  return {
    port: ssh.port,
    user: ssh.user,
    agent: ssh.agent,
    ...(ssh.privateKey === undefined ? {} : { privateKey: pulumi.secret(ssh.privateKey) }),
    ...(ssh.privateKeyPassword === undefined ? {} : { privateKeyPassword: pulumi.secret(ssh.privateKeyPassword) }),
    ...(ssh.password === undefined ? {} : { password: pulumi.secret(ssh.password) }),
    ...(ssh.sudoPassword === undefined ? {} : { sudoPassword: pulumi.secret(ssh.sudoPassword) }),
  };
}

/** How the node's RPC is reached on a host (plain values; wrap them before they become an input). */
export function nodeTarget(config: StackConfig, hostKey: string): NodeTarget {
  const { privateKey, privateKeyPassword, password, user, port, agent } = config.ssh;
  const { node, host } = config;
  const direct = node.rpc === "direct";
  return {
    ssh: { address: host.address, port, user, hostKey, privateKey, privateKeyPassword, password, agent },
    via: node.rpc,
    address: direct && node.rpcAddress === "127.0.0.1" ? host.address : node.rpcAddress,
    port: node.rpcPort,
  };
}
