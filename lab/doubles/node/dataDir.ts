import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
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
