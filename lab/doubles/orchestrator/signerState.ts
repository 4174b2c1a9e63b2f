import { join } from "node:path";
import { KeyGeneration } from "./keyGeneration";
import { readKeyShare, storedKeys } from "./keyShare";
import { takeLock } from "./lock";
import { configLines, type Log } from "./logLines";
import { evmAddressOf, peerIdOf } from "./methods";
import {
  defaultConfig,
  ensureAddressBook,
  ensureFolders,
  type OrchestratorConfig,
  openProducer,
  readConfig,
  writeConfig,
  writeEvents,
} from "./stateDir";

/** What a double has in its directory: configuration, producer, key share. Its own from `open` to `release`. */
export class SignerState {
  config: OrchestratorConfig;
  /** The producer's address. */
  producer = "";
  private keyGeneration: KeyGeneration | undefined;
  private unlock: (() => void) | undefined;

  constructor(
    private readonly dir: string,
    private readonly log: Log,
  ) {
    this.config = defaultConfig(dir);
  }

  /** @throws as the real one fails: another one holds the lock, or the key store is missing or not to be opened */
  open(): void {
    const config = readConfig(this.dir);
    this.config = config ?? this.config;
    for (const [place, text] of configLines(this.config)) this.log("INFO", place, text);
    this.unlock = takeLock(join(this.dir, ".lock"));
    if (this.unlock === undefined) {
      throw new Error("unable to acquire file-lock: resource temporarily unavailable: dataDir already used");
    }
    this.log("INFO", "node/node.go:802", "successfully locked dataDir");
    ensureFolders(this.dir);
    if (config === undefined) writeConfig(this.dir, this.config);
    this.producer = openProducer(this.dir, this.config);
    this.config.EvmAddress = evmAddressOf(this.producer);
    this.log("INFO", "node/node.go:91", "read producer");
  }

  release(): void {
    this.unlock?.();
    this.unlock = undefined;
  }

  loadKeyShare(): void {
    const tss = join(this.dir, "tss");
    const { TssConfig: config } = this.config;
    const stored = storedKeys(tss);
    const key = stored.includes(config.PublicKey) ? config.PublicKey : stored.at(-1);
    config.PublicKey = key ?? "";
    config.DecompressedPublicKey = key === undefined ? "" : `04${key.slice(2)}`;
    config.LocalPubKeys = key === undefined ? [] : readKeyShare(tss, key).participant_keys;
    if (key === undefined) this.log("INFO", "node/node.go:843", `stat ${tss}/localstate-: no such file or directory`);
    ensureAddressBook(this.dir);
    this.keyGeneration = new KeyGeneration(tss, peerIdOf(this.producer));
  }

  get hasShare(): boolean {
    return this.config.TssConfig.PublicKey !== "";
  }

  /** As getStatus tells it. */
  get number(): number {
    return this.config.GlobalState;
  }

  get canGenerateKey(): boolean {
    return this.keyGeneration !== undefined;
  }

  beginKeyGeneration(): void {
    this.log("INFO", "node/node.go:331", "Started ECDSA Keygen");
    this.keyGeneration?.begin(this.config);
  }

  finishKeyGeneration(): void {
    this.keyGeneration?.finish(this.config);
    this.rewrite();
    this.log("INFO", "node/node.go:397", `Generated key: ${this.config.TssConfig.PublicKey}`);
  }

  // A disk that is full, or a directory that was moved away, stops no signer.
  rewrite(): void {
    try {
      writeConfig(this.dir, this.config);
    } catch (error) {
      this.log("INFO", "node/node.go:154", (error as Error).message);
    }
  }

  writeEvents(): void {
    try {
      writeEvents(this.dir, new Date().toISOString());
    } catch (error) {
      this.log("ERROR", "manager/manager.go:61", (error as Error).message);
    }
  }
}
