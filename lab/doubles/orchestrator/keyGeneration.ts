import { createKeyShare, decompressed, type KeyShare, writeKeyShare } from "./keyShare";
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

  begin(config: OrchestratorConfig): void {
    this.share = createKeyShare(this.holder);
    config.GlobalState = keyGeneration;
  }

  /** The new share lies beside the old one, which stays. */
  finish(config: OrchestratorConfig): void {
    if (this.share === undefined) return;
    writeKeyShare(this.tss, this.share);
    const { TssConfig: tss } = config;
    tss.PublicKey = this.share.pub_key;
    tss.DecompressedPublicKey = decompressed(this.share.pub_key);
    tss.LocalPubKeys = this.share.participant_keys;
    config.GlobalState = 0;
    this.share = undefined;
  }
}
