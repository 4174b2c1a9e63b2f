import { type OrderRecords, orderRecordOf, orderRecordText } from "../cloud/orderRecord";
import type { StackConfig } from "../config/config";
import { project } from "../config/configFaults";
import type { LogRef } from "../eventLog/eventLog";
import type { MoveId } from "../eventLog/moveId";
import type { SecureOptions } from "../orchestrator/checks/preparation";
import type { OrchestratorPlace } from "../orchestrator/checks/survey";
import type { Acknowledged } from "../orchestrator/rules/acknowledged";
import type { OrchestratorHost } from "../ssh/root";
import { placeInBucket } from "../store/bucketPlace";
import { storeAt } from "../store/openStore";
import { meantPlace, recordsWord } from "../store/recordsDirectory";
import type { Store } from "../store/store";
import { ofStack, storeFault } from "../store/storeFault";
import { otherLogin, sshTarget } from "./login";

/** Names an attempt to move the signer: what journals, record and backups are known by. */
export function moveIdOf({ pillar, orchestrator }: StackConfig, stack: string): MoveId {
  return { project, stack, pillar: pillar.name, attempt: orchestrator.attempt };
}

/** Where records and backups go, as inputs have it: as configured, or the word for the user's own. Never a secret. */
export function backupDirectory({ pillar, store, orchestrator }: StackConfig): string {
  if (store !== undefined) return placeInBucket(store, pillar.name);
  return orchestrator.backup.directory ?? recordsWord(pillar.name);
}

/** Returns whose event log a stack writes, and where it is. */
export function logRef(config: StackConfig): LogRef {
  return { directory: backupDirectory(config), stack: config.stack, pillar: config.pillar.name };
}

/** Returns the directory of the records on this machine, absolute. */
export function backupPlace(config: StackConfig): string {
  return meantPlace(backupDirectory(config));
}

/** What is known of a stack's Pillar outside of the state. @throws storeFault */
export function storeOf(config: StackConfig): Store {
  return ofStack(config.stack, () => storeAt(backupDirectory(config)));
}

/** The record of the orders of a stack's server. @throws storeFault */
export function ordersOf(config: StackConfig, stack: string): OrderRecords {
  // Two Pillars may share a place, and their stacks have one name.
  const name = `orders-${stack}-${config.pillar.name}.json`;
  const store = storeOf(config);
  const inWords = (what: string) => (error: Error) => {
    throw storeFault(store.faultText(what, error));
  };
  return {
    read: () => store.newest(name).then(orderRecordOf, inWords("read")),
    write: (record) => store.renew(name, orderRecordText(record)).catch(inWords("written")),
  };
}

export function newPlace({ node, orchestrator }: StackConfig): OrchestratorPlace {
  const { service, directory, executable, rpcPort } = orchestrator;
  return { service, directory, executable, rpcPort, nodeDirectory: node.dataDir };
}

/** On the old one: the same where nothing else is configured. */
export function oldPlace(config: StackConfig): OrchestratorPlace {
  const same = newPlace(config);
  const from = config.orchestrator.migrateFrom;
  return {
    rpcPort: same.rpcPort,
    service: from?.service ?? same.service,
    directory: from?.directory ?? same.directory,
    executable: from?.executable ?? same.executable,
    nodeDirectory: from?.dataDir ?? same.nodeDirectory,
  };
}

/** How the old host is logged in to (plain values: wrap them before they become an input). */
export function oldHost({ ssh, stack, orchestrator }: StackConfig): OrchestratorHost {
  const from = orchestrator.migrateFrom;
  if (from === undefined) throw new Error("pillar-host:orchestrator.migrateFrom is not configured");
  return otherLogin({ ssh, stack }, from, "pillar-host:orchestrator.migrateFrom");
}

export function newHost(config: StackConfig, address: string, hostKey: string): OrchestratorHost {
  return { stack: config.stack, ssh: sshTarget(config, address, hostKey), sudoPassword: config.ssh.sudoPassword };
}

export function acknowledgedOf({ orchestrator }: StackConfig): Acknowledged {
  const { noKeyShare, haltedBridge, laterThanMove, firstMove } = orchestrator.migrateFrom ?? {};
  return {
    noKeyShare: noKeyShare === "acknowledged",
    haltedBridge: haltedBridge === "acknowledged",
    laterThanMove,
    firstMove: firstMove && true,
  };
}

export function secureOptions(config: StackConfig, stack: string): SecureOptions {
  const { migrateFrom: from, release, backup } = config.orchestrator;
  const { ssh } = oldHost(config);
  return {
    stack,
    move: moveIdOf(config, stack),
    old: oldPlace(config),
    new: newPlace(config),
    copyAddress: from?.copyAddress ?? ssh.address,
    sshPort: ssh.port,
    sshUser: ssh.user,
    hostKey: ssh.hostKey,
    ...acknowledgedOf(config),
    release: release === undefined ? undefined : { version: release.version },
    backups: {
      directory: backupDirectory(config),
      identityFile: backup.identityFile,
    },
  };
}
