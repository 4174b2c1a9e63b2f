import { randomBytes } from "node:crypto";
import { createKeyStore, randomPassword } from "../keyStore.ts";
import { createKeyShare, keyShareName, nextPublicKey } from "./keyShare.ts";
import { evmAddressOf, peerIdOf } from "./methods.ts";
import { defaultConfig } from "./stateDir.ts";

/** Usual path of the state directory. */
export const orchestratorDir = "/root/.orchestrator";

export interface ExampleDirOptions {
  /** False if the orchestrator has taken part in no key generation yet. */
  keyShare?: boolean;
  /** The bridge's public key in base64 (default: a random one). */
  bridgeKey?: string;
  /** Host in the node's URL, in which user and password stand before it (default: 127.0.0.1 without them). */
  nodeHost?: string;
  /** Seconds for which an answer to getStatus is cached (default 25). */
  statusStands?: number;
}

/** Creates a state directory with its own producer key, and therefore its own identity. */
export function exampleDir(options: ExampleDirOptions) {
  const { keyShare = true, bridgeKey = nextPublicKey(randomBytes(8).toString("hex")) } = options;
  // With symbols, like those of the controller.
  const passphrase = randomPassword();
  const store = createKeyStore(passphrase);
  const producer = store.baseAddress;
  const identity = peerIdOf(producer);
  const share = keyShare ? createKeyShare(identity, bridgeKey) : undefined;
  const accessKey = randomBytes(16).toString("hex");
  const nodePassword = randomBytes(16).toString("hex");
  const nodeUrl = (nodeHost: string) => `ws://me:${nodePassword}@${nodeHost}:35998`;
  const config = defaultConfig(orchestratorDir);
  config.EvmAddress = evmAddressOf(producer);
  config.ProducerKeyFilePassphrase = passphrase;
  config.Networks.Ethereum = { Urls: [`wss://eth-node.example/v3/${accessKey}`] };
  if (options.nodeHost !== undefined) config.Networks.Zenon = { Urls: [nodeUrl(options.nodeHost)] };
  config.HealthConfig.CachedResponseDelay = options.statusStands ?? config.HealthConfig.CachedResponseDelay;
  config.TssConfig.PublicKey = share?.pub_key ?? "";
  config.TssConfig.LocalPubKeys = share?.participant_keys ?? [];
  const folder = { mode: 0o700 };
  const dataBase = (name: string) => ({
    [name]: folder,
    [`${name}/CURRENT`]: { mode: 0o644, text: "MANIFEST-000000\n" },
    [`${name}/MANIFEST-000000`]: { mode: 0o644, text: `${name} ${randomBytes(200).toString("hex")}\n` },
    [`${name}/000001.log`]: { mode: 0o644, text: `${randomBytes(2000).toString("hex")}\n` },
  });
  const keyStore = { mode: 0o600, text: JSON.stringify(store) };
  const keyShareFile = share && `tss/${keyShareName(share.pub_key)}`;
  // Folders and files by their path below the directory. Folders have no text.
  const files: Record<string, { mode: number; text?: string }> = {
    "": folder,
    "config.json": { mode: 0o644, text: JSON.stringify(config, undefined, 4) },
    producer: keyStore,
    tss: folder,
    "tss/address_book.seed": { mode: 0o644, text: `/ip4/198.51.100.9/tcp/55055/p2p/${peerIdOf("a peer")}\n` },
    ...(keyShareFile === undefined ? {} : { [keyShareFile]: { mode: 0o655, text: JSON.stringify(share) } }),
    ...dataBase("events"),
    ...dataBase("queues"),
    logs: folder,
  };
  return {
    files,
    /** The producer's address. */
    producer,
    /** Called tssPeerId in getIdentity and identity in GET /signers. */
    identity,
    passphrase,
    /** Path below the directory. Undefined without a share. */
    keyShareFile,
    /** Public key in base64 that the share belongs to. The bridge must have the same key. */
    bridgeKey,
    /** Returns the node's URL with this host. */
    nodeUrl,
    /** Texts that may appear only in this directory and in the orchestrator's journal and memory. */
    secrets: [
      passphrase,
      // The escaped form that config.json contains.
      JSON.stringify(passphrase).slice(1, -1),
      accessKey,
      nodePassword,
      store.crypto.cipherData,
      ...(share ? [share.local_data.Xi, share.local_data.PaillierSK] : []),
    ].filter((secret, index, all) => all.indexOf(secret) === index),
  };
}

/** State directory of an orchestrator that has run for a long time. */
export type ExampleDir = ReturnType<typeof exampleDir>;
