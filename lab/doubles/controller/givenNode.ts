import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeConfig, ProducerConfig } from "../node/dataDir.ts";
import { dataDir, keyStorePath } from "./dataDir.ts";

/**
 * Directory into which the lab puts a real node, with the files below. The controller deploys it in
 * place of the double.
 */
export const givenNodeDirectory = "/usr/local/lib/pillar-lab-node";

/** Names of the files in that directory. */
export const givenFiles = {
  executable: "go-node",
  genesis: "genesis.json",
  /** Complete configuration of the node, with its producer. */
  config: "config.json",
  keyStore: "producer",
} as const;

/**
 * Returns the real node that the lab provides, with the files that the real controller would download and the key that
 * it would create. Returns undefined if there is none.
 */
export function givenNode() {
  const at = (name: keyof typeof givenFiles) => `${givenNodeDirectory}/${givenFiles[name]}`;
  if (!existsSync(at("executable"))) return undefined;
  const { Producer, ...config } = JSON.parse(readFileSync(at("config"), "utf8")) as NodeConfig;
  if (!Producer) throw new Error(`${at("config")} names no producer`);
  return {
    executable: at("executable"),
    /** Configuration of the network's nodes, without a producer. */
    config,
    /** Copies the network's genesis to the path where the node looks for it. */
    placeGenesis: () => copyFileSync(at("genesis"), join(dataDir, givenFiles.genesis)),
    /** Copies the key store to its path, as if it had just been created. */
    placeKeyStore: (): ProducerConfig => {
      copyFileSync(at("keyStore"), keyStorePath);
      return Producer;
    },
  };
}
