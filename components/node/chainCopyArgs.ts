import { createNodeRpc, createOldNode, resolveNode } from "../../core/chain/configuredNode";
import type { ChainCopyInputs, CopyHost } from "../../core/chainCopy/inputs";
import type { StackConfig } from "../../core/config/config";
import { createStackLogRef } from "../../core/config/stackStore";
import type { OrchestratorHost } from "../../core/ssh/root";
import type { SshTarget } from "../../core/ssh/ssh";
import { readChainCopyLibrary } from "../../core/steps/libraries";
import { formatStackIdentity } from "../../core/steps/stepVariables";
import { createChainSources } from "../../core/sync/gateSettings";

/** Inputs of the chain copy. They hold the old host's login in clear: mark them as secret before they become inputs. */
export type ChainCopySettings = Omit<ChainCopyInputs, "new">;

/** Returns the inputs of the chain copy; undefined if the chain comes from the network. */
export function createChainCopyArgs(config: StackConfig, stack: string): ChainCopySettings | undefined {
  const { sync, node, network, pillar } = config;
  if (sync.from !== "oldHost") return undefined;
  const { host, service, dataDir, copyAddress, node: old } = createOldNode(config);
  return {
    stack,
    identity: formatStackIdentity(stack, pillar.name),
    old: {
      host,
      node: old,
      service: service ?? node.service,
      dataDir: dataDir ?? node.dataDir,
    },
    copy: { address: copyAddress ?? host.ssh.address, port: host.ssh.port },
    limitMbps: sync.copyMbps ?? 0,
    momentum: network.momentum,
    ...createChainSources(config),
    record: createStackLogRef(config),
    library: readChainCopyLibrary(),
  };
}

export function createNewSide(config: StackConfig, host: OrchestratorHost): CopyHost {
  const { node } = config;
  const target = resolveNode(host.ssh satisfies SshTarget, createNodeRpc(config));
  return { host, node: target, service: node.service, dataDir: node.dataDir };
}
