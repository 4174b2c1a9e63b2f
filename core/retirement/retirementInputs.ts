import { createNodeTarget, createOtherNode } from "../chain/configuredNode.ts";
import type { StackConfig } from "../config/config.ts";
import { chooseRecordsPlace } from "../config/stackStore.ts";
import { createOrchestratorPaths } from "../orchestrator/hosts/moveInputs.ts";
import { createNewHost, createOtherLogin } from "../ssh/configuredLogin.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import { readRetirementLibrary } from "../steps/libraries.ts";
import type { HostPaths, HostRef, RetirementInputs } from "./guardInputs.ts";

/** Returns what the checks and the release of a host need. Secret. */
export function createRetirementInputs(
  config: StackConfig,
  place: Pick<SshTarget, "address" | "hostKey"> & Pick<RetirementInputs, "isOwnServer" | "orderedAt">,
) {
  const { address, hostKey, isOwnServer, orderedAt } = place;
  const { stack, pillar, lifecycle, orchestrator, sync, network } = config;
  const { service, dataDir, rpcPort } = config.node;
  const places = { service, dataDir, rpcPort, signer: createOrchestratorPaths(config) };
  return {
    stack,
    pillar: pillar.name,
    lifecycle,
    places,
    isOwnServer,
    orderedAt,
    host: createNewHost(config, address, hostKey),
    node: createNodeTarget(config, address, hostKey),
    successor: createSuccessorRef(config, places),
    references: listRetirementReferences(config),
    tolerance: sync.tolerance,
    epoch: network.epoch,
    isChainUnverified: sync.unverifiedChain === undefined ? undefined : (true as const),
    network: { momentum: network.momentum, tickMomentums: network.tickMomentums },
    backup: { directory: chooseRecordsPlace(config), identityFile: orchestrator.backup.identityFile },
    library: readRetirementLibrary(),
  } satisfies RetirementInputs;
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
