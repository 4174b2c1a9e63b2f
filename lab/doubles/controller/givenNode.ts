import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeConfig, ProducerConfig } from "../node/dataDir";
import { dataDir, keyStorePath } from "./dataDir";

/**
 * Directory into which the lab puts a real node, with the files of {@link GivenNode}. The controller deploys it in
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
 * Real node of the lab's own network: the files that the real controller would download, and the key that it would
 * create.
 */
export interface GivenNode {
  readonly executable: string;
  /** Configuration of the network's nodes, without a producer. */
  readonly config: NodeConfig;
  /** Copies the network's genesis to the path where the node looks for it. */
  readonly placeGenesis: () => void;
  /** Copies the key store to its path, as if it had just been created. */
  readonly placeKeyStore: () => ProducerConfig;
}

/** Returns the node that the lab provides, or undefined if there is none. */
export function givenNode(): GivenNode | undefined {
  const at = (name: keyof typeof givenFiles) => `${givenNodeDirectory}/${givenFiles[name]}`;
  if (!existsSync(at("executable"))) return undefined;
  const { Producer, ...config } = JSON.parse(readFileSync(at("config"), "utf8")) as NodeConfig;
  if (!Producer) throw new Error(`${at("config")} names no producer`);
  return {
    executable: at("executable"),
    config,
    placeGenesis: () => copyFileSync(at("genesis"), join(dataDir, givenFiles.genesis)),
    placeKeyStore: () => {
      copyFileSync(at("keyStore"), keyStorePath);
      return Producer;
    },
  };
}
