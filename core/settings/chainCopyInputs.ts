import type { ChainCopyInputs, ChainSide } from "../chainCopy/inputs";
import type { StackConfig } from "../config/config";
import type { OrchestratorHost } from "../ssh/root";
import type { SshTarget } from "../ssh/ssh";
import { chainCopyLibrary } from "../steps/libraries";
import { stackIdentity } from "../steps/stepVariables";
import { unverifiedChain } from "./gateSettings";
import { nodeRpc, nodeTargetOn, otherLogin, otherNode } from "./login";
import { logRef } from "./orchestratorPlaces";

/** Whose chain a stack's node begins with, and how; plain, with the old host's login: wrap it before it becomes an input. */
export type ChainCopySettings = Omit<ChainCopyInputs, "new">;

/** Undefined where the chain comes from the network. */
export function chainCopySettings(config: StackConfig, stack: string): ChainCopySettings | undefined {
  const { sync, node, network, pillar } = config;
  if (sync.from !== "oldHost") return undefined;
  const { host, service, dataDir, copyAddress, node: old } = oldNode(config);
  return {
    stack,
    identity: stackIdentity(stack, pillar.name),
    old: {
      host,
      node: old,
      service: service ?? node.service,
      dataDir: dataDir ?? node.dataDir,
    },
    copy: { address: copyAddress ?? host.ssh.address, port: host.ssh.port },
    limitMbps: sync.copyMbps ?? 0,
    momentum: network.momentum,
    references: sync.references,
    tolerance: sync.tolerance,
    ...unverifiedChain(config),
    record: logRef(config),
    library: chainCopyLibrary(),
  };
}

export function newChainSide(config: StackConfig, host: OrchestratorHost): ChainSide {
  const { node } = config;
  const target = nodeTargetOn(host.ssh satisfies SshTarget, nodeRpc(config));
  return { host, node: target, service: node.service, dataDir: node.dataDir };
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
