import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyStore } from "../keyStore";
import type { NodeConfig, ProducerConfig } from "../node/dataDir";
import type { Machine } from "./machine";

/** The node's data directory. */
export function dataDir(machine: Machine): string {
  return `${machine.root}/root/.znn`;
}

/** Where the producer's key store lies. */
export function keyStorePath(machine: Machine): string {
  return join(dataDir(machine), "wallet", "producer");
}

/** Makes the directories and an empty configuration where there are none: already Status leaves them behind. */
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

/** The producer's configuration when it is whole. */
export function producerOf(config: NodeConfig): ProducerConfig | undefined {
  const { Producer: producer } = config;
  if (!producer) return undefined;
  const whole = ["Index", "KeyFilePath", "Password", "Address"].every((key) => key in producer);
  return whole ? producer : undefined;
}

export function readKeyStore(machine: Machine): KeyStore {
  return JSON.parse(readFileSync(keyStorePath(machine), "utf8")) as KeyStore;
}

/** Writes the key store over whatever was there: the real one keeps no backup. */
export function writeKeyStore(machine: Machine, store: KeyStore): void {
  writeFileSync(keyStorePath(machine), JSON.stringify(store));
}

/** Deletes what was synced; keys and configuration stay. */
export function resync(machine: Machine): void {
  for (const part of ["network", "nom", "consensus", "log"]) {
    rmSync(join(dataDir(machine), part), { recursive: true, force: true });
  }
}

const configPath = (machine: Machine) => join(dataDir(machine), "config.json");
