import { createKeyShare, decompressed, type KeyShare, nextPublicKey, writeKeyShare } from "./keyShare";
import type { OrchestratorConfig } from "./stateDir";

/** What config.json calls one. */
const keyGeneration = 1;

/**
 * A signer's part in making the bridge's next key. Whoever stops within it has no part in that key, and goes on in it
 * when it starts again: only the old share is on its disk then, and GlobalState says so.
 */
export class KeyGeneration {
  private share: KeyShare | undefined;

  constructor(
    private readonly tss: string,
    private readonly holder: string,
  ) {}

  /** @param current the bridge's key */
  begin(config: OrchestratorConfig, current: string): void {
    this.share = createKeyShare(this.holder, nextPublicKey(current));
    config.GlobalState = keyGeneration;
  }

  /** The new share lies beside the old one, which stays. @returns the key of which it is one */
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
