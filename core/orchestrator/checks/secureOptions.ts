import type { StackConfig } from "../../config/config";
import { chooseRecordsPlace } from "../../config/stackStore";
import { createMoveId } from "../../eventLog/moveId";
import { createOldHost } from "../../ssh/configuredLogin";
import type { OrchestratorPlace, SecureOptions } from "../hosts/moveInputs";

export function createOrchestratorPaths({ orchestrator: { service, directory, executable, rpcPort } }: StackConfig) {
  return { service, directory, executable, rpcPort };
}

export function createNewPlace(config: StackConfig): OrchestratorPlace {
  return { ...createOrchestratorPaths(config), nodeDirectory: config.node.dataDir };
}

/** Returns the paths on the old host: as on the new one unless configured. */
export function createOldPlace(config: StackConfig): OrchestratorPlace {
  const same = createNewPlace(config);
  const { service, directory, executable, dataDir } = config.orchestrator.migrateFrom ?? {};
  return {
    rpcPort: same.rpcPort,
    service: service ?? same.service,
    directory: directory ?? same.directory,
    executable: executable ?? same.executable,
    nodeDirectory: dataDir ?? same.nodeDirectory,
  };
}

export function createSecureOptions(config: StackConfig, stack: string): SecureOptions {
  const { migrateFrom: from, release, backup } = config.orchestrator;
  const { ssh } = createOldHost(config);
  return {
    stack,
    move: createMoveId(config, stack),
    old: createOldPlace(config),
    new: createNewPlace(config),
    copyAddress: from?.copyAddress ?? ssh.address,
    sshPort: ssh.port,
    sshUser: ssh.user,
    hostKey: ssh.hostKey,
    noKeyShare: from?.noKeyShare === "acknowledged",
    haltedBridge: from?.haltedBridge === "acknowledged",
    laterThanMove: from?.laterThanMove,
    firstMove: from?.firstMove && true,
    restoreFrom: from?.backup,
    release: release && { version: release.version },
    backups: { directory: chooseRecordsPlace(config), identityFile: backup.identityFile },
  };
}
