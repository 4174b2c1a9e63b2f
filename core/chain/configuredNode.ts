import type { StackConfig } from "../config/config.ts";
import { ownAddress } from "../config/nodeSchema.ts";
import { createHostTarget, createOtherLogin } from "../ssh/configuredLogin.ts";
import { tryLogin } from "../ssh/reachability.ts";
import { createLoginKeys, type SshTarget } from "../ssh/ssh.ts";
import type { NodeTarget } from "./node.ts";
import { createVersionRules } from "./versionRules.ts";

/** Returns how to reach the node of the stack's host. For direct access, the host's address replaces 127.0.0.1. */
export function createHostNode(config: Pick<StackConfig, "node">, ssh: SshTarget): NodeTarget {
  const { rpc: via, rpcAddress, rpcPort: port } = config.node;
  const address = via === "direct" && rpcAddress === ownAddress ? ssh.address : rpcAddress;
  return { ssh, via, address, port, versions: createVersionRules(config) };
}

/** Returns how to reach the node of the stack's host, the login in clear: make it a Pulumi secret in an input. */
export function createNodeTarget(config: StackConfig, hostAddress: string, hostKey: string): NodeTarget {
  return createHostNode(config, createHostTarget(config, hostAddress, hostKey));
}

/** Returns the login of a node's host, with the ports to reach there: the node's, and that of an orchestrator that moves. */
export function createTrialLogin({ ssh, via, address, port }: NodeTarget, { orchestrator }: StackConfig): SshTarget {
  const own = { address: "127.0.0.1", port: orchestrator.rpcPort };
  return { ...ssh, reaches: [...(via === "ssh" ? [{ address, port }] : []), ...(orchestrator.move ? [own] : [])] };
}

type OtherHost = NonNullable<StackConfig["retirement"]["successor"]>;

/** Returns another host, its node and orchestrator, with this stack's names where it has none. `key`: configuration key. */
export function createOtherHost(config: StackConfig, other: OtherHost, key: string) {
  const { service = config.node.service, dataDir = config.node.dataDir, rpcPort = config.node.rpcPort } = other;
  const host = createOtherLogin(config, other, `pillar-host:${key}`);
  const own = config.orchestrator;
  const { service: unit = own.service, directory = own.directory, executable = own.executable } = other.orchestrator;
  const node = { ssh: host.ssh, via: "ssh", address: other.rpcAddress ?? ownAddress, port: rpcPort } as const;
  return {
    host,
    service,
    dataDir,
    rpcPort,
    node: { ...node, versions: createVersionRules(config) } satisfies NodeTarget,
    orchestrator: { service: unit, directory, executable, rpcPort: own.rpcPort },
  };
}

/** @throws if no old host is configured */
export function createOldHost(config: StackConfig) {
  const { oldHost } = config;
  // Cannot happen: the configuration's checks refuse this case.
  if (oldHost === undefined) throw new Error("pillar-host:oldHost is not configured");
  const host = createOtherHost(config, oldHost, "oldHost");
  const orchestrator = { ...host.orchestrator, nodeDirectory: host.dataDir };
  return { ...host, copyAddress: oldHost.copyAddress ?? oldHost.address, orchestrator };
}

/** Tries the login of an active stack's old host, if there is one. @throws as tryLogin does */
export async function tryOldHost(config: StackConfig): Promise<"accepted" | undefined> {
  if (config.oldHost === undefined || config.lifecycle !== "active") return undefined;
  const login = createTrialLogin(createOldHost(config).node, config);
  (await tryLogin(login, createLoginKeys("pillar-host:oldHost"))).close();
  return "accepted";
}
