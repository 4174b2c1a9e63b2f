import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KeyStore, openKeyStore } from "../keyStore";

/** The `Producer` part of config.json. */
export interface ProducerConfig {
  Index: number;
  KeyFilePath: string;
  Password: string;
  Address: string;
}

/** config.json, as far as the double knows it. */
export interface NodeConfig {
  Producer?: ProducerConfig | null;
  [key: string]: unknown;
}

/** Reads config.json; an absent one is an empty one. */
export function readConfig(dataDir: string): NodeConfig {
  let text: string;
  try {
    text = readFileSync(join(dataDir, "config.json"), "utf8");
  } catch {
    return {};
  }
  return JSON.parse(text) as NodeConfig;
}

/** Opens the configured producer's key store and gives its address; throws where the real node refuses to start. */
export function openProducer(dataDir: string, producer: ProducerConfig): string {
  const file = join(dataDir, "wallet", producer.KeyFilePath);
  return openKeyStore(JSON.parse(readFileSync(file, "utf8")) as KeyStore, producer.Password);
}

/** The node's peer identity: made once, kept in network-private-key. */
export function networkKey(dataDir: string): string {
  const file = join(dataDir, "network-private-key");
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    const key = randomBytes(32).toString("hex");
    writeFileSync(file, key, { mode: 0o600 });
    return key;
  }
}

/** The height that survives a restart; undefined on a fresh node. It lies in nom/, which a resync deletes. */
export function storedHeight(dataDir: string): number | undefined {
  try {
    const height = Number(readFileSync(join(dataDir, "nom", "height"), "utf8"));
    return Number.isSafeInteger(height) && height >= 0 ? height : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Opens the database, until {@link closeDatabase}. One that was never closed may be torn, which the real node does not
 * notice; here `nom/torn` gets a line.
 */
export function openDatabase(dataDir: string): void {
  mkdirSync(join(dataDir, "nom"), { recursive: true });
  const open = join(dataDir, "nom", "open");
  if (existsSync(open)) appendFileSync(join(dataDir, "nom", "torn"), `${new Date().toISOString()}\n`);
  writeFileSync(open, "");
}

/** Closes it in order. */
export function closeDatabase(dataDir: string): void {
  rmSync(join(dataDir, "nom", "open"), { force: true });
}

/** Stores the height so that a kill at any moment leaves the old or the new one. */
export function storeHeight(dataDir: string, height: number): void {
  mkdirSync(join(dataDir, "nom"), { recursive: true });
  const next = join(dataDir, "nom", "height.new");
  writeFileSync(next, String(height));
  renameSync(next, join(dataDir, "nom", "height"));
}
