import { createNodeTarget, createOtherNode } from "../chain/configuredNode";
import type { StackConfig } from "../config/config";
import { chooseRecordsPlace } from "../config/stackStore";
import { createOrchestratorPaths } from "../orchestrator/checks/secureOptions";
import { createNewHost, createOtherLogin } from "../ssh/configuredLogin";
import { readRetirementLibrary } from "../steps/libraries";
import type { HostPaths, HostRef, RetirementInputs } from "./guardInputs";

/** Inputs that do not depend on the host. Secret: holds the successor's login. */
export type RetirementSettings = Omit<RetirementInputs, "host" | "node" | "isOwnServer" | "recorded" | "server">;

interface OwnHost {
  readonly address: string;
  readonly hostKey: string;
  /** True if this stack ordered the server. */
  readonly isOwnServer: boolean;
}

/** Returns the login in clear: make it a Pulumi secret before it becomes an input. */
export function createRetirementInputs(
  config: StackConfig,
  { address, hostKey, isOwnServer }: OwnHost,
): RetirementSettings & Pick<RetirementInputs, "host" | "node" | "isOwnServer"> {
  return {
    ...createRetirementSettings(config),
    isOwnServer,
    host: createNewHost(config, address, hostKey),
    node: createNodeTarget(config, address, hostKey),
  };
}

export function createRetirementSettings(config: StackConfig): RetirementSettings {
  const { stack, orchestrator, sync, network } = config;
  return {
    stack,
    pillar: config.pillar.name,
    lifecycle: config.lifecycle,
    places: hostPaths(config),
    successor: successorRef(config),
    references: listRetirementReferences(config),
    tolerance: sync.tolerance,
    epoch: network.epoch,
    isChainUnverified: sync.unverifiedChain === undefined ? undefined : (true as const),
    network: { momentum: network.momentum, tickMomentums: network.tickMomentums },
    backup: {
      directory: chooseRecordsPlace(config),
      identityFile: orchestrator.backup.identityFile,
    },
    library: readRetirementLibrary(),
  };
}

export function listRetirementReferences({ retirement, sync }: Pick<StackConfig, "retirement" | "sync">): string[] {
  return [...new Set([...retirement.references, ...sync.references])];
}

/** Returns the paths on a host: those in `other`, else those of the stack's own host. */
function hostPaths(
  config: StackConfig,
  other: { readonly [K in "service" | "dataDir" | "rpcPort"]?: HostPaths[K] | undefined } = {},
): HostPaths {
  const { service, dataDir, rpcPort } = config.node;
  return {
    service: other.service ?? service,
    dataDir: other.dataDir ?? dataDir,
    rpcPort: other.rpcPort ?? rpcPort,
    signer: createOrchestratorPaths(config),
  };
}

function successorRef(config: StackConfig): HostRef | undefined {
  const { successor } = config.retirement;
  if (successor === undefined) return undefined;
  const host = createOtherLogin(config, successor, "pillar-host:retirement.successor");
  const places = hostPaths(config, successor);
  return { host, places, node: createOtherNode(config, host.ssh, places.rpcPort) };
}
