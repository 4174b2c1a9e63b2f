import { createNodeTarget, createOtherNode } from "../chain/configuredNode.ts";
import type { StackConfig } from "../config/config.ts";
import { chooseRecordsPlace } from "../config/stackStore.ts";
import { createOrchestratorPaths } from "../orchestrator/hosts/moveInputs.ts";
import { createNewHost, createOtherLogin } from "../ssh/configuredLogin.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import { readRetirementLibrary } from "../steps/libraries.ts";
import type { HostPaths, HostRef, RetirementInputs } from "./guardInputs.ts";

/** Inputs that do not depend on the host. Secret: holds the successor's login. */
export type RetirementSettings = Omit<
  RetirementInputs,
  "host" | "node" | "isOwnServer" | "orderedAt" | "recorded" | "server"
>;

/** Returns the login in clear: make it a Pulumi secret before it becomes an input. */
export function createRetirementInputs(
  config: StackConfig,
  place: Pick<SshTarget, "address" | "hostKey"> & Pick<RetirementInputs, "isOwnServer" | "orderedAt">,
) {
  const { address, hostKey, isOwnServer, orderedAt } = place;
  return {
    ...createRetirementSettings(config),
    isOwnServer,
    orderedAt,
    host: createNewHost(config, address, hostKey),
    node: createNodeTarget(config, address, hostKey),
  };
}

export function createRetirementSettings(config: StackConfig): RetirementSettings {
  const { stack, pillar, lifecycle, orchestrator, sync, network } = config;
  const { service, dataDir, rpcPort } = config.node;
  const places = { service, dataDir, rpcPort, signer: createOrchestratorPaths(config) };
  return {
    stack,
    pillar: pillar.name,
    lifecycle,
    places,
    successor: createSuccessorRef(config, places),
    references: listRetirementReferences(config),
    tolerance: sync.tolerance,
    epoch: network.epoch,
    isChainUnverified: sync.unverifiedChain === undefined ? undefined : (true as const),
    network: { momentum: network.momentum, tickMomentums: network.tickMomentums },
    backup: { directory: chooseRecordsPlace(config), identityFile: orchestrator.backup.identityFile },
    library: readRetirementLibrary(),
  };
}

export function listRetirementReferences({ retirement, sync }: Pick<StackConfig, "retirement" | "sync">): string[] {
  return [...new Set([...retirement.references, ...sync.references])];
}

function createSuccessorRef(config: StackConfig, own: HostPaths): HostRef | undefined {
  const { successor } = config.retirement;
  if (successor === undefined) return undefined;
  const { service = own.service, dataDir = own.dataDir, rpcPort = own.rpcPort } = successor;
  const host = createOtherLogin(config, successor, "pillar-host:retirement.successor");
  const places = { service, dataDir, rpcPort, signer: own.signer };
  return { host, places, node: createOtherNode(config, host.ssh, rpcPort) };
}
