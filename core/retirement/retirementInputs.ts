import { createNodeTarget, createOtherHost } from "../chain/configuredNode.ts";
import type { Block } from "../chain/sameChain.ts";
import type { CloudServer } from "../cloud/power.ts";
import type { StackConfig } from "../config/config.ts";
import { chooseStore } from "../config/stackStore.ts";
import { createOrchestratorPaths } from "../host/hostPaths.ts";
import { createNewHost } from "../ssh/configuredLogin.ts";
import type { SshTarget } from "../ssh/ssh.ts";
import { readRetirementLibrary } from "../steps/libraries.ts";

/** Names, addresses and logins (secret), no conclusions: a guard asks host and chain again. */
export interface RetirementInputs extends Readonly<ReturnType<typeof createRetirementInputs>> {
  /** Producer address of this host's node in an earlier run. */
  readonly knownProducer?: string | undefined;
  /** Momentum recorded when this host was synced: a node that lacks it is on another chain, or lies. */
  readonly recorded?: Block | undefined;
  readonly server?: CloudServer | undefined;
}

export interface RetiredHost extends Pick<SshTarget, "address" | "hostKey"> {
  /** True if this stack ordered the server: nobody used it before. */
  readonly isOwnServer: boolean;
  /** ISO 8601: when this stack drew the number of the server's order. */
  readonly orderedAt?: string | undefined;
}

/** Returns what the checks and the release of a host need. Secret. */
export function createRetirementInputs(config: StackConfig, place: RetiredHost) {
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
    successor: createSuccessorRef(config),
    references: listRetirementReferences(config),
    tolerance: sync.tolerance,
    /** Milliseconds of a reward epoch. */
    epoch: network.epoch,
    isChainUnverified: sync.unverifiedChain === undefined ? undefined : (true as const),
    network: { momentum: network.momentum, tickMomentums: network.tickMomentums },
    /** Paths relative to the project. */
    backup: { directory: chooseStore(config), identityFile: orchestrator.backup.identityFile },
    /** Script library (core/steps/libraries.ts). */
    library: readRetirementLibrary(),
  };
}

/** Returns the references that lookups of a stack ask. */
export const listReferences = (config: StackConfig): readonly string[] =>
  config.lifecycle === "active" ? config.sync.references : listRetirementReferences(config);

export function listRetirementReferences({ retirement, sync }: Pick<StackConfig, "retirement" | "sync">): string[] {
  return [...new Set([...retirement.references, ...sync.references])];
}

function createSuccessorRef(config: StackConfig) {
  const { successor } = config.retirement;
  if (successor === undefined) return undefined;
  const { host, node, ...places } = createOtherHost(config, successor, "retirement.successor");
  return { host, node, places };
}
