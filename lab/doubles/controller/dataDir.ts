import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyStore } from "../keyStore.ts";
import type { NodeConfig, ProducerConfig } from "../node/dataDir.ts";

/** Path of the node's data directory. */
export const dataDir = "/root/.znn";

/** Path of the producer's key store. */
export const keyStorePath = join(dataDir, "wallet", "producer");

const configPath = join(dataDir, "config.json");

/**
 * Creates missing directories and an empty configuration. The controller does this for every menu entry, even for
 * Status.
 */
export function ensureDataDir(): void {
  for (const part of ["wallet", "syrius"]) mkdirSync(join(dataDir, part), { recursive: true });
  if (!existsSync(configPath)) writeFileSync(configPath, "{}");
}

export function readConfig(): NodeConfig {
  return JSON.parse(readFileSync(configPath, "utf8")) as NodeConfig;
}

export function writeConfig(config: NodeConfig): void {
  writeFileSync(configPath, JSON.stringify(config, null, 4));
}

/** Returns the producer's configuration if it is complete. */
export function producerOf(config: NodeConfig): ProducerConfig | undefined {
  const { Producer: producer } = config;
  if (!producer) return undefined;
  const whole = ["Index", "KeyFilePath", "Password", "Address"].every((key) => key in producer);
  return whole ? producer : undefined;
}

export function readKeyStore(): KeyStore {
  return JSON.parse(readFileSync(keyStorePath, "utf8")) as KeyStore;
}

/** Writes the key store and overwrites an older one without a backup, as the real controller does. */
export function writeKeyStore(store: KeyStore): void {
  writeFileSync(keyStorePath, JSON.stringify(store));
}
