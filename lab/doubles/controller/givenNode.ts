import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeConfig, ProducerConfig } from "../node/dataDir";
import { dataDir, keyStorePath } from "./dataDir";
import type { Machine } from "./machine";

/** Where the lab puts a node for the controller to deploy in the place of the double: the files of {@link GivenNode}. */
export const givenNodeDirectory = "/usr/local/lib/pillar-lab-node";

/** Their names there. */
export const givenFiles = {
  executable: "go-node",
  genesis: "genesis.json",
  /** Of the whole node, with its producer. */
  config: "config.json",
  keyStore: "producer",
} as const;

/** The real node of a network of the lab's own: what the real controller finds in the world, and the key that it makes. */
export interface GivenNode {
  /** Path of the executable. */
  readonly executable: string;
  /** What the network's nodes have in config.json, without the producer. */
  readonly config: NodeConfig;
  /** Puts the network's genesis where the node looks for it. */
  readonly placeGenesis: () => void;
  /** Puts the key store in its place, as one that was just made. */
  readonly placeKeyStore: () => ProducerConfig;
}

/** Undefined where the lab gave none. */
export function givenNode(machine: Machine): GivenNode | undefined {
  const at = (name: keyof typeof givenFiles) => `${machine.root}${givenNodeDirectory}/${givenFiles[name]}`;
  if (!existsSync(at("executable"))) return undefined;
  const { Producer, ...config } = JSON.parse(readFileSync(at("config"), "utf8")) as NodeConfig;
  if (!Producer) throw new Error(`${at("config")} names no producer`);
  return {
    executable: at("executable"),
    config,
    placeGenesis: () => copyFileSync(at("genesis"), join(dataDir(machine), givenFiles.genesis)),
    placeKeyStore: () => {
      copyFileSync(at("keyStore"), keyStorePath(machine));
      return Producer;
    },
  };
}
