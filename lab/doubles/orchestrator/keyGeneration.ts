import { createKeyShare, type KeyShare, removeKeyShare, writeKeyShare } from "./keyShare";
import type { OrchestratorConfig } from "./stateDir";

/** A signer's part in making the bridge's next key. Whoever stops within it is left without a share. */
export class KeyGeneration {
  private share: KeyShare | undefined;

  constructor(
    private readonly tss: string,
    private readonly holder: string,
  ) {}

  get isRunning(): boolean {
    return this.share !== undefined;
  }

  /** Leaves half of the new share beside the old one. */
  begin(): void {
    this.share = createKeyShare(this.holder);
    writeKeyShare(this.tss, this.share, false);
  }

  /** The new share replaces the old one. */
  finish(config: OrchestratorConfig): void {
    if (this.share === undefined) return;
    writeKeyShare(this.tss, this.share);
    this.take(config);
    config.TssConfig.LocalPubKeys = this.share.participant_keys;
    this.share = undefined;
  }

  /** A stop: the old share is gone, the new one is half a file. */
  interrupt(config: OrchestratorConfig): void {
    if (this.share !== undefined) this.take(config);
  }

  private take(config: OrchestratorConfig): void {
    const { TssConfig: tss } = config;
    if (this.share === undefined) return;
    if (tss.PublicKey !== "") removeKeyShare(this.tss, tss.PublicKey);
    tss.PublicKey = this.share.pub_key;
    tss.DecompressedPublicKey = `04${this.share.pub_key.slice(2)}`;
  }
}
