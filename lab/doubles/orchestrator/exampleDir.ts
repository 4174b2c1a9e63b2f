import { randomBytes } from "node:crypto";
import { createKeyStore, randomPassword } from "../keyStore";
import { createKeyShare, keyShareName, nextPublicKey } from "./keyShare";
import { evmAddressOf, peerIdOf } from "./methods";
import { defaultConfig } from "./stateDir";

/** Where an operator has it. */
export const orchestratorDir = "/root/.orchestrator";

/** A state directory as a signer that has run for long leaves it. */
export interface ExampleDir {
  /** Folders and files by path below the directory; folders have no text. */
  files: Record<string, { mode: number; text?: string }>;
  /** The producer's address. */
  producer: string;
  /** What getIdentity calls tssPeerId, and GET /signers an identity. */
  identity: string;
  /** Of the producer's key store. */
  passphrase: string;
  /** Path below the directory; undefined without a share. */
  keyShareFile: string | undefined;
  /** The key whose signer it is, base64; its bridge must have this one. */
  bridgeKey: string;
  /** Texts that nothing but this directory (and journal and memory of the orchestrator) may hold. */
  secrets: string[];
}

/** What a state directory is to be like. */
export interface ExampleDirOptions {
  /** Default: one with symbols, as the controller makes them. */
  passphrase?: string;
  /** False: it has taken part in no key generation yet. */
  keyShare?: boolean;
  /** That of the bridge, base64, where it has one. */
  bridgeKey?: string;
  /** Seconds for which an answer to getStatus stands; default 25. */
  statusStands?: number;
}

/** Makes a state directory with a producer key, and so an identity, of its own. */
export function exampleDir(options: ExampleDirOptions = {}): ExampleDir {
  const {
    passphrase = randomPassword(),
    keyShare = true,
    bridgeKey = nextPublicKey(randomBytes(8).toString("hex")),
  } = options;
  const store = createKeyStore(passphrase);
  const producer = store.baseAddress;
  const identity = peerIdOf(producer);
  const share = keyShare ? createKeyShare(identity, bridgeKey) : undefined;
  const accessKey = randomBytes(16).toString("hex");
  const config = defaultConfig(orchestratorDir);
  config.EvmAddress = evmAddressOf(producer);
  config.ProducerKeyFilePassphrase = passphrase;
  config.Networks.Ethereum = { Urls: [`wss://eth-node.example/v3/${accessKey}`] };
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
  return {
    files: {
      "": folder,
      "config.json": { mode: 0o644, text: JSON.stringify(config, undefined, 4) },
      producer: keyStore,
      tss: folder,
      "tss/address_book.seed": { mode: 0o644, text: `/ip4/198.51.100.9/tcp/55055/p2p/${peerIdOf("a peer")}\n` },
      ...(keyShareFile === undefined ? {} : { [keyShareFile]: { mode: 0o655, text: JSON.stringify(share) } }),
      ...dataBase("events"),
      ...dataBase("queues"),
      logs: folder,
    },
    producer,
    identity,
    passphrase,
    keyShareFile,
    bridgeKey,
    secrets: [
      passphrase,
      // As it lies in config.json, where it is escaped.
      JSON.stringify(passphrase).slice(1, -1),
      accessKey,
      store.crypto.cipherData,
      ...(share ? [share.local_data.Xi, share.local_data.PaillierSK] : []),
    ].filter((secret, index, all) => all.indexOf(secret) === index),
  };
}
