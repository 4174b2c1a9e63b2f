import { createKeyShare, decompressed, type KeyShare, nextPublicKey, writeKeyShare } from "./keyShare";
import type { OrchestratorConfig } from "./stateDir";

/** GlobalState in config.json during a key generation. */
const keyGeneration = 1;

/**
 * An orchestrator's part in generating the bridge's next key. If it stops during the generation, it gets no share of
 * the new key. After a restart it has only the old share, and its GlobalState still says key generation.
 */
export class KeyGeneration {
  private share: KeyShare | undefined;

  constructor(
    private readonly tss: string,
    private readonly holder: string,
  ) {}

  /** @param current the bridge's current key */
  begin(config: OrchestratorConfig, current: string): void {
    this.share = createKeyShare(this.holder, nextPublicKey(current));
    config.GlobalState = keyGeneration;
  }

  /**
   * Writes the new share next to the old one, which stays.
   * @returns the new key
   */
  finish(config: OrchestratorConfig): string | undefined {
    if (this.share === undefined) return undefined;
    writeKeyShare(this.tss, this.share);
    const { TssConfig: tss } = config;
    tss.PublicKey = this.share.pub_key;
    tss.DecompressedPublicKey = decompressed(this.share.pub_key);
    tss.LocalPubKeys = this.share.participant_keys;
    config.GlobalState = 0;
    const { pub_key: key } = this.share;
    this.share = undefined;
    return key;
  }
}
