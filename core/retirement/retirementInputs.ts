import { createNodeTarget, createOtherHost } from "../chain/configuredNode.ts";
import type { StackConfig } from "../config/config.ts";
import { chooseRecordsPlace } from "../config/stackStore.ts";
import { createOrchestratorPaths, type OrchestratorPaths } from "../host/hostPaths.ts";
import { createNewHost } from "../ssh/configuredLogin.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import { readRetirementLibrary } from "../steps/libraries.ts";
import type { HostRef, RetirementInputs } from "./guardInputs.ts";

/** Returns what the checks and the release of a host need. Secret. */
export function createRetirementInputs(
  config: StackConfig,
  place: Pick<SshTarget, "address" | "hostKey"> & Pick<RetirementInputs, "isOwnServer" | "orderedAt">,
) {
  const { address, hostKey, isOwnServer, orderedAt } = place;
  const { stack, pillar, lifecycle, orchestrator, sync, network } = config;
  const { service, dataDir, rpcPort } = config.node;
  const paths = createOrchestratorPaths(config);
  return {
    stack,
    pillar: pillar.name,
    lifecycle,
    places: { service, dataDir, rpcPort, orchestrator: paths },
    isOwnServer,
    orderedAt,
    host: createNewHost(config, address, hostKey),
    node: createNodeTarget(config, address, hostKey),
    successor: createSuccessorRef(config, paths),
    references: listRetirementReferences(config),
    tolerance: sync.tolerance,
    epoch: network.epoch,
    isChainUnverified: sync.unverifiedChain === undefined ? undefined : (true as const),
    network: { momentum: network.momentum, tickMomentums: network.tickMomentums },
    backup: { directory: chooseRecordsPlace(config), identityFile: orchestrator.backup.identityFile },
    library: readRetirementLibrary(),
  } satisfies RetirementInputs;
}

/** Returns the references that lookups of a stack ask. */
export const listReferences = (config: StackConfig): readonly string[] =>
  config.lifecycle === "active" ? config.sync.references : listRetirementReferences(config);

export function listRetirementReferences({ retirement, sync }: Pick<StackConfig, "retirement" | "sync">): string[] {
  return [...new Set([...retirement.references, ...sync.references])];
}

function createSuccessorRef(config: StackConfig, orchestrator: OrchestratorPaths): HostRef | undefined {
  const { successor } = config.retirement;
  if (successor === undefined) return undefined;
  const { host, node, ...places } = createOtherHost(config, successor, "retirement.successor");
  return { host, node, places: { ...places, orchestrator } };
}
