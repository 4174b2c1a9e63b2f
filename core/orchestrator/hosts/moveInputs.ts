import { createNodeTarget, createOldHost } from "../../chain/configuredNode.ts";
import type { StackConfig } from "../../config/config.ts";
import { chooseStore } from "../../config/stackStore.ts";
import { createMoveId } from "../../eventLog/moveId.ts";
import { createOrchestratorPaths } from "../../host/hostPaths.ts";
import { createNewHost } from "../../ssh/configuredLogin.ts";
import { readOrchestratorLibrary } from "../../steps/libraries.ts";
import { createWitnessSources } from "../../sync/gateSettings.ts";

export type MovePaths = Readonly<ReturnType<typeof createMovePaths>>;

export function createMovePaths(config: StackConfig) {
  return { ...createOrchestratorPaths(config), nodeDirectory: config.node.dataDir };
}

/** Settings of a move without a secret. A changed one is a reason to look at both hosts. */
export type SecureOptions = Readonly<ReturnType<typeof createSecureOptions>>;

export function createSecureOptions(config: StackConfig) {
  const { stack } = config;
  const { release, backup, firstMove, laterThanMove, lostLine, noKeyShare, haltedBridge, restoreFrom } =
    config.orchestrator;
  const { host, copyAddress, orchestrator: old } = createOldHost(config);
  return {
    stack,
    move: createMoveId(config),
    old,
    new: createMovePaths(config),
    /** Address of the old host's ssh, as the new host reaches it. */
    copyAddress,
    sshPort: host.ssh.port,
    sshUser: host.ssh.user,
    /** The ssh host key that the old host must show there. */
    hostKey: host.ssh.hostKey,
    // As core/config/orchestratorSchema.ts describes them.
    noKeyShare,
    haltedBridge,
    laterThanMove,
    firstMove: firstMove && (true as const),
    lostLine,
    restoreFrom,
    release: release && { version: release.version },
    /** Paths as configured: relative to the project, or beginning with `~/`. */
    backups: { directory: chooseStore(config), identityFile: backup.identityFile },
  };
}

/** Inputs of a move, and of the backup before it. Secret. */
export type MoveInputs = Readonly<ReturnType<typeof createMoveInputs>>;

/** Returns the inputs of a move to the stack's host, or back. @throws if no old host is configured */
export function createMoveInputs(config: StackConfig, address: string, hostKey: string) {
  const { rollback, p2pPort, startTimeout, steadySeconds } = config.orchestrator;
  const options = createSecureOptions(config);
  return {
    ...options,
    ...createWitnessSources(config),
    old: { ...options.old, host: createOldHost(config).host },
    new: { ...options.new, host: createNewHost(config, address, hostKey) },
    node: createNodeTarget(config, address, hostKey),
    /** Script library (core/steps/libraries.ts). */
    library: readOrchestratorLibrary(),
    pillar: config.pillar.name,
    rollback,
    p2pPort,
    /** URL of the webhook; secret. */
    notify: config.notify,
    /** Milliseconds within which a started orchestrator must answer. */
    answerWithin: startTimeout,
    /** Milliseconds for which it must then stay up. */
    steadyFor: steadySeconds * 1000,
  };
}
