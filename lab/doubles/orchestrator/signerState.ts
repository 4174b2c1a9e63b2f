import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { BridgeInfo } from "../chain/bridge.ts";
import { hasKeyShare, readKeyShare } from "./keyShare.ts";
import { configLines, type Log } from "./logLines.ts";
import { evmAddressOf } from "./methods.ts";
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
} from "./stateDir.ts";

/** Values of GlobalState in config.json. */
const [live, keyGeneration, halted] = [0, 1, 2];

/** Contents of an orchestrator's directory: configuration, producer, and key share. Locked from `open` to `release`. */
export class SignerState {
  config: OrchestratorConfig;
  /** The producer's address. */
  producer = "";
  private unlock: (() => void) | undefined;

  constructor(
    private readonly dir: string,
    private readonly log: Log,
  ) {
    this.config = defaultConfig(dir);
  }

  /** @throws if the configuration cannot be read or written, or if another process holds the lock */
  open(): void {
    ensureLogs(this.dir);
    this.config = readConfig(this.dir) ?? this.config;
    for (const [place, text] of configLines(this.config)) this.log("INFO", place, text);
    // The real orchestrator rewrites config.json in place before it takes the lock. A second process can thus damage
    // the file of the first.
    writeConfig(this.config);
    this.unlock = takeLock(join(this.config.DataPath, ".lock"));
    if (this.unlock === undefined) {
      throw new Error("unable to acquire file-lock: dataDir already used by another process");
    }
    this.log("INFO", "node/node.go:1627", "successfully locked dataDir");
    ensureFolders(this.dir);
  }

  /**
   * @throws if the key store cannot be opened; the real orchestrator, too, notices that only after it reached all nodes
   */
  openProducer(): void {
    this.producer = openProducer(this.config);
    this.config.EvmAddress = evmAddressOf(this.producer);
    this.log("INFO", "node/node.go:100", "read producer");
  }

  release(): void {
    this.unlock?.();
    this.unlock = undefined;
  }

  /**
   * Loads the share of the bridge's current key. Without that share the orchestrator has none, even if it has shares of
   * other keys.
   */
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
  }

  get hasShare(): boolean {
    return this.config.TssConfig.PublicKey !== "";
  }

  /** Returns the state that getStatus reports. */
  get number(): number {
    return this.config.GlobalState;
  }

  /** Follows the bridge's halt. Any other state, such as a key generation, stays as it is. */
  halt(is: boolean): void {
    if (this.config.GlobalState === (is ? live : halted)) this.config.GlobalState = is ? halted : live;
  }

  /** Takes part in a key generation that never ends. After a stop and a start, the state still says key generation. */
  beginKeyGeneration(): void {
    this.log("INFO", "node/node.go:331", "Started ECDSA Keygen");
    this.config.GlobalState = keyGeneration;
  }

  // A full disk or a moved directory does not stop the orchestrator.
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

/**
 * Takes an exclusive lock on a file without waiting, as Go does with flock. The lock ends with the process, however the
 * process ends.
 * @returns a function that releases the lock, or undefined if another process holds it
 */
export function takeLock(file: string): (() => void) | undefined {
  const descriptor = openSync(file, "a", 0o644);
  // Node.js has no flock. The lock belongs to the open file, so it outlives the child process that takes it.
  const { status, error } = spawnSync("flock", ["--exclusive", "--nonblock", "3"], {
    stdio: ["ignore", "ignore", "ignore", descriptor],
  });
  if (status === 0) return () => closeSync(descriptor);
  closeSync(descriptor);
  if (error) throw error;
  return undefined;
}
