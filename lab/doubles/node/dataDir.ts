import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KeyStore, openKeyStore } from "../keyStore.ts";

/** The `Producer` part of config.json. */
export interface ProducerConfig {
  Index: number;
  KeyFilePath: string;
  Password: string;
  Address: string;
}

/** The parts of config.json that the double uses. */
export interface NodeConfig {
  Producer?: ProducerConfig | null;
  [key: string]: unknown;
}

/** Reads config.json. A missing file counts as empty. */
export function readConfig(dataDir: string): NodeConfig {
  let text: string;
  try {
    text = readFileSync(join(dataDir, "config.json"), "utf8");
  } catch {
    return {};
  }
  return JSON.parse(text) as NodeConfig;
}

/** Opens the configured producer's key store and returns its address. Throws where the real node refuses to start. */
export function openProducer(dataDir: string, producer: ProducerConfig): string {
  const file = join(dataDir, "wallet", producer.KeyFilePath);
  return openKeyStore(JSON.parse(readFileSync(file, "utf8")) as KeyStore, producer.Password);
}

const networkKey = (dataDir: string) => join(dataDir, "network-private-key");

/** Generates the node's private peer key once, as every start does. */
export function ensureNetworkKey(dataDir: string): void {
  const file = networkKey(dataDir);
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("hex"), { mode: 0o600 });
}

/** Returns the node's id, 128 hexadecimal digits made from its private peer key (go-zenon, p2p/discover/node.go). */
export function readNetworkId(dataDir: string): string {
  return createHash("sha512")
    .update(readFileSync(networkKey(dataDir)))
    .digest("hex");
}
