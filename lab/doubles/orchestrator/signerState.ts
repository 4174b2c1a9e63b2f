import { join } from "node:path";
import type { BridgeInfo } from "../chain/bridge";
import { KeyGeneration } from "./keyGeneration";
import { hasKeyShare, readKeyShare } from "./keyShare";
import { takeLock } from "./lock";
import { configLines, type Log } from "./logLines";
import { evmAddressOf, peerIdOf } from "./methods";
import {
  defaultConfig,
  ensureAddressBook,
  ensureFolders,
  ensureLogs,
  type OrchestratorConfig,
  openProducer,
  readConfig,
  writeConfig,
  writeEvents,
} from "./stateDir";

/** What config.json calls them. */
const [live, halted] = [0, 2];

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

  /** @throws as the real one fails: its configuration can't be read or written, or another one holds the lock */
  open(): void {
    ensureLogs(this.dir);
    this.config = readConfig(this.dir) ?? this.config;
    for (const [place, text] of configLines(this.config)) this.log("INFO", place, text);
    // In place, and before its lock: of two in one directory the second may spoil the first one's.
    writeConfig(this.config);
    this.unlock = takeLock(join(this.config.DataPath, ".lock"));
    if (this.unlock === undefined) {
      throw new Error("unable to acquire file-lock: dataDir already used by another process");
    }
    this.log("INFO", "node/node.go:1627", "successfully locked dataDir");
    ensureFolders(this.dir);
  }

  /** @throws as the real one fails: only now, after it has reached all nodes */
  openProducer(): void {
    this.producer = openProducer(this.config);
    this.config.EvmAddress = evmAddressOf(this.producer);
    this.log("INFO", "node/node.go:100", "read producer");
  }

  release(): void {
    this.unlock?.();
    this.unlock = undefined;
  }

  /** That of the bridge's key alone, whatever else lies there; without it, none. */
  loadKeyShare(bridge: BridgeInfo): void {
    const { TssConfig: config } = this.config;
    const tss = config.BaseDir;
    const key = bridge.compressedTssECDSAPubKey;
    const isThere = hasKeyShare(tss, key);
    config.PublicKey = isThere ? key : "";
    config.DecompressedPublicKey = isThere ? bridge.decompressedTssECDSAPubKey : "";
    config.LocalPubKeys = isThere ? readKeyShare(tss, key).participant_keys : [];
    if (!isThere) this.log("INFO", "node/node.go:1664", `stat ${tss}/localstate-: no such file or directory`);
    ensureAddressBook(tss);
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

  /** As its bridge is; whatever else it is about goes on. */
  halt(is: boolean): void {
    if (this.config.GlobalState === (is ? live : halted)) this.config.GlobalState = is ? halted : live;
  }

  beginKeyGeneration(bridge: BridgeInfo): void {
    this.log("INFO", "node/node.go:331", "Started ECDSA Keygen");
    this.keyGeneration?.begin(this.config, bridge.compressedTssECDSAPubKey);
  }

  /** @returns the bridge's next key */
  finishKeyGeneration(): string | undefined {
    const key = this.keyGeneration?.finish(this.config);
    this.rewrite();
    this.log("INFO", "node/node.go:397", `Generated key: ${this.config.TssConfig.PublicKey}`);
    return key;
  }

  // A disk that is full, or a directory that was moved away, stops no signer.
  rewrite(): void {
    try {
      writeConfig(this.config);
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
