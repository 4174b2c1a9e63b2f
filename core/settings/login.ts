import type { NodeTarget } from "../chain/node";
import type { StackConfig } from "../config/config";
import { publicLineOf } from "../ssh/publicLine";
import type { OrchestratorHost } from "../ssh/root";
import type { SshTarget } from "../ssh/ssh";
import { versionRules } from "./versionRules";

/** How a host is logged in to (plain values; wrap them before they become an input). */
export function sshTarget({ ssh }: Pick<StackConfig, "ssh">, address: string, hostKey: string): SshTarget {
  return targetOf(ssh, { address, hostKey });
}

type Login = { readonly [K in keyof StackConfig["ssh"]]?: StackConfig["ssh"][K] | undefined };

/** A login of another host than the stack's own, as configured. */
export type OtherLogin = Pick<SshTarget, "address" | "hostKey"> & Login;

/** Returns the login of a host, with that of `usual` for what it leaves out. */
function targetOf(usual: Login, other: OtherLogin): SshTarget {
  const hasOwn = other.privateKey !== undefined || other.password !== undefined || other.agent === true;
  const { privateKey, privateKeyPassword, password, agent } = hasOwn ? other : usual;
  const { address, hostKey, port = usual.port ?? 22, user = usual.user ?? "root" } = other;
  const login = { address, port, user, hostKey, privateKey, privateKeyPassword, password, agent };
  const proxy = proxyOf(other.proxy ? { ...login, proxy: other.proxy } : usual);
  return proxy ? { ...login, proxy } : login;
}

/** Returns the login of the proxy before a host. It gets no password of the host's, which it must not know. */
export function proxyOf({ proxy, ...login }: Login): SshTarget | undefined {
  return proxy && targetOf({ ...login, port: 22, password: undefined }, proxy);
}

/**
 * How another host is logged in to: what is left out is pillar-host:ssh's (plain values; wrap them before they become an
 * input).
 *
 * @param configured the block of the configuration, for errors
 */
export function otherLogin(
  { ssh, stack }: Pick<StackConfig, "ssh" | "stack">,
  other: OtherLogin,
  configured: string,
): OrchestratorHost {
  const target = targetOf(ssh, other);
  // Another user's password would be told to a host that must not know it.
  const sudoPassword = other.sudoPassword ?? (target.user === ssh.user ? ssh.sudoPassword : undefined);
  return { stack, ssh: target, sudoPassword, configured };
}

/** Where the node's RPC is on its host, and the way there: through ssh, or to its port. */
export type NodeRpc = Omit<NodeTarget, "ssh">;

/** The node's RPC as configured, and the versions that are required. */
export function nodeRpc(config: Pick<StackConfig, "node">): NodeRpc {
  const { rpc, rpcAddress, rpcPort } = config.node;
  return { via: rpc, address: rpcAddress, port: rpcPort, versions: versionRules(config) };
}

/** Returns the place that sshd must forward to, if the node is asked through ssh. */
export function forwardedRpc({ node: { rpc, rpcAddress, rpcPort } }: Pick<StackConfig, "node">) {
  return rpc === "ssh" ? { address: rpcAddress, port: rpcPort } : undefined;
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

/** The public half of pillar-host:ssh.privateKey, an authorized_keys line. */
export function publicKeyOf({ ssh }: StackConfig): string | undefined {
  return ssh.privateKey === undefined ? undefined : publicLineOf(ssh.privateKey, ssh.privateKeyPassword);
}
