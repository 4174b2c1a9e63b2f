import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type KeyStore, openKeyStore } from "../keyStore.ts";

/** Returns the configuration that a first start writes. */
export function defaultConfig(dir: string) {
  return {
    DataPath: dir,
    EventsPath: join(dir, "events"),
    QueuesPath: join(dir, "queues"),
    /** 0 live, 1 key generation, 2 halted, 3 emergency, 4 re-sign. */
    GlobalState: 0,
    EvmAddress: "",
    /** Node URLs. Those of other chains contain access keys. */
    Networks: {
      // The bridge has no network with this name, but the first start writes it and it stays in the file.
      BSC: { Urls: ["ws://127.0.0.1:8545"] },
      "BNB Chain": { Urls: ["wss://bnb-node.example/"] },
      Ethereum: { Urls: ["wss://eth-node.example/"] },
      Zenon: { Urls: ["ws://127.0.0.1:35998"] },
    } as Record<string, { Urls: string[] }>,
    TssConfig: {
      Port: 55055,
      /** The bridge's public key. Empty without a share. */
      PublicKey: "",
      DecompressedPublicKey: "",
      LocalPubKeys: [] as string[],
      Bootstrap: "/dns/bootstrap.example/tcp/55055/p2p/12D3KooWBootstrap",
      PubKeyWhitelist: {},
      BaseDir: join(dir, "tss"),
      /** Nanoseconds, as Go writes a duration. */
      BaseConfig: { PartyTimeout: 60e9, KeyGenTimeout: 300e9, KeySignTimeout: 60e9, PreParamTimeout: 300e9 },
    },
    /** The double's port and limits are fixed. CachedResponseDelay: seconds for which an answer to getStatus is cached. */
    HealthConfig: { Port: 55000, CachedResponseDelay: 25, ResponsesPerSecond: 2, Burst: 2 },
    ProducerKeyFileName: "producer",
    /** Clear text. */
    ProducerKeyFilePassphrase: "",
    ProducerIndex: 0,
    Rewrites: 0,
    RewrittenAt: "",
  };
}

/**
 * Contents of config.json. The names come from the real orchestrator's sources, except Rewrites and RewrittenAt. These
 * two stand for everything that changes in the file while the orchestrator runs.
 */
export type OrchestratorConfig = ReturnType<typeof defaultConfig>;

/** Creates the database folders if they are missing. */
export function ensureFolders(dir: string): void {
  for (const part of ["events", "queues"]) mkdirSync(join(dir, part), { recursive: true, mode: 0o700 });
}

/** Creates the log folder and file, which a start does before everything else. */
export function ensureLogs(dir: string): void {
  mkdirSync(join(dir, "logs"), { recursive: true, mode: 0o700 });
  appendFileSync(join(dir, "logs", "administrator.log"), "");
}

/** @returns undefined if there is no config.json */
export function readConfig(dir: string): OrchestratorConfig | undefined {
  const file = join(dir, "config.json");
  if (!existsSync(file)) return undefined;
  const defaults = defaultConfig(dir);
  const written = JSON.parse(readFileSync(file, "utf8")) as Partial<OrchestratorConfig>;
  return { ...defaults, ...written, Networks: { ...defaults.Networks, ...written.Networks } };
}

/** Rewrites config.json in place, like the real orchestrator. A concurrent copy may contain half of it. */
export function writeConfig(config: OrchestratorConfig): void {
  config.Rewrites += 1;
  config.RewrittenAt = new Date().toISOString();
  writeFileSync(join(config.DataPath, "config.json"), JSON.stringify(config, undefined, 4));
}

/**
 * Opens the producer's key store and returns its address. Throws where the real orchestrator fails, for example if the
 * path is a folder.
 */
export function openProducer(config: OrchestratorConfig): string {
  const { DataPath, ProducerKeyFileName: name, ProducerKeyFilePassphrase: passphrase } = config;
  return openKeyStore(JSON.parse(readFileSync(join(DataPath, name), "utf8")) as KeyStore, passphrase);
}

/** Creates the peers' address book if it is missing, and empties the logs in tss/, as every start does. */
export function ensureAddressBook(tss: string): void {
  mkdirSync(tss, { recursive: true });
  for (const name of ["communication", "party", "server"]) writeFileSync(join(tss, `tss.${name}.log`), "");
  const file = join(tss, "address_book.seed");
  if (!existsSync(file))
    writeFileSync(file, `/ip4/198.51.100.9/tcp/55055/p2p/12D3KooW${randomBytes(16).toString("hex")}\n`);
}

/** Appends a line to the databases, as a running orchestrator does. */
export function writeEvents(dir: string, line: string): void {
  for (const base of ["events", "queues"]) appendFileSync(join(dir, base, "000001.log"), `${line}\n`);
}
