import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyStore } from "../keyStore";
import type { NodeConfig, ProducerConfig } from "../node/dataDir";
import type { Machine } from "./machine";

/** Returns the path of the node's data directory. */
export function dataDir(machine: Machine): string {
  return `${machine.root}/root/.znn`;
}

/** Returns the path of the producer's key store. */
export function keyStorePath(machine: Machine): string {
  return join(dataDir(machine), "wallet", "producer");
}

/**
 * Creates missing directories and an empty configuration. The controller does this for every menu entry, even for
 * Status.
 */
export function ensureDataDir(machine: Machine): void {
  for (const part of ["wallet", "syrius"]) mkdirSync(join(dataDir(machine), part), { recursive: true });
  if (!existsSync(configPath(machine))) writeFileSync(configPath(machine), "{}");
}

export function readConfig(machine: Machine): NodeConfig {
  return JSON.parse(readFileSync(configPath(machine), "utf8")) as NodeConfig;
}

export function writeConfig(machine: Machine, config: NodeConfig): void {
  writeFileSync(configPath(machine), JSON.stringify(config, null, 4));
}

/** Returns the producer's configuration if it is complete. */
export function producerOf(config: NodeConfig): ProducerConfig | undefined {
  const { Producer: producer } = config;
  if (!producer) return undefined;
  const whole = ["Index", "KeyFilePath", "Password", "Address"].every((key) => key in producer);
  return whole ? producer : undefined;
}

export function readKeyStore(machine: Machine): KeyStore {
  return JSON.parse(readFileSync(keyStorePath(machine), "utf8")) as KeyStore;
}

/** Writes the key store and overwrites an older one without a backup, as the real controller does. */
export function writeKeyStore(machine: Machine, store: KeyStore): void {
  writeFileSync(keyStorePath(machine), JSON.stringify(store));
}

/** Deletes the synced data, but no keys and no configuration. */
export function resync(machine: Machine): void {
  for (const part of ["network", "nom", "consensus", "log"]) {
    rmSync(join(dataDir(machine), part), { recursive: true, force: true });
  }
}

const configPath = (machine: Machine) => join(dataDir(machine), "config.json");
