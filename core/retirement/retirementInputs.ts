import { nodeTarget, otherNode } from "../chain/configuredNode";
import type { StackConfig } from "../config/config";
import { backupDirectory } from "../config/stackStore";
import { newHost, otherLogin } from "../ssh/configuredLogin";
import { retirementLibrary } from "../steps/libraries";
import type { RetirementInputs, Successor } from "./guardInputs";

/** What retirement needs to know of a stack, whatever its host. Holds the successor's login: secret. */
export type RetirementSettings = Omit<RetirementInputs, "host" | "node" | "isOwnServer" | "recorded" | "server">;

/** Adds the host, plain, with its login: wrap it before it becomes an input. @param isOwnServer this state ordered it */
export function retirementInputs(
  config: StackConfig,
  stack: string,
  address: string,
  hostKey: string,
  isOwnServer: boolean,
): RetirementSettings & Pick<RetirementInputs, "host" | "node" | "isOwnServer"> {
  return {
    ...retirementSettings(config, stack),
    isOwnServer,
    host: newHost(config, address, hostKey),
    node: nodeTarget(config, address, hostKey),
  };
}

export function retirementSettings(config: StackConfig, stack: string): RetirementSettings {
  const { orchestrator, retirement, sync, network, node } = config;
  const { service, directory, executable, rpcPort } = orchestrator;
  const successor = successorOf(config);
  return {
    stack,
    pillar: config.pillar.name,
    lifecycle: config.lifecycle,
    places: {
      service: node.service,
      dataDir: node.dataDir,
      rpcPort: node.rpcPort,
      signer: { service, directory, executable, rpcPort },
    },
    successor,
    references: retirementReferences(config),
    tolerance: sync.tolerance,
    epoch: network.epoch,
    isChainUnverified: sync.unverifiedChain === undefined ? undefined : (true as const),
    network: { momentum: network.momentum, tickMomentums: network.tickMomentums },
    backup: {
      directory: backupDirectory(config),
      identityFile: orchestrator.backup.identityFile,
    },
    afterwards: retirement.afterwards,
    keysAside: retirement.keysAside,
    library: retirementLibrary(),
  };
}

/** The nodes that are asked about a retirement: its own and the sync's, each once. */
export function retirementReferences({ retirement, sync }: Pick<StackConfig, "retirement" | "sync">): string[] {
  return [...new Set([...retirement.references, ...sync.references])];
}

/** The host that produces afterwards: named as this one where nothing else is configured. */
function successorOf(config: StackConfig): Successor | undefined {
  const { successor: named } = config.retirement;
  if (named === undefined) return undefined;
  const { node, orchestrator } = config;
  const host = otherLogin(config, named, "pillar-host:retirement.successor");
  const rpcPort = named.rpcPort ?? node.rpcPort;
  const { service, directory, executable } = orchestrator;
  return {
    host,
    places: {
      service: named.service ?? node.service,
      dataDir: named.dataDir ?? node.dataDir,
      rpcPort,
      signer: { service, directory, executable, rpcPort: orchestrator.rpcPort },
    },
    node: otherNode(config, host.ssh, rpcPort),
  };
}
