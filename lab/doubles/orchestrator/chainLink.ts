import type { ChainClient } from "../chain/client";
import { defaultOrchestratorSettings } from "../chain/defaults";
import type { OrchestratorView } from "../chain/orchestrators";
import type { OrchestratorSettings } from "../chain/settings";
import type { Beat } from "../chain/signers";

/** Tells the chain double of an orchestrator, and takes its commands. Without the chain, the last commands count. */
export class ChainLink {
  settings: OrchestratorSettings = defaultOrchestratorSettings;
  private seenKeyGeneration: number | undefined;

  constructor(
    private readonly chain: ChainClient,
    private readonly name: string,
    /** A key generation that was commanded since this was made. */
    private readonly onKeyGeneration: (ms: number) => void,
  ) {}

  async poll(): Promise<void> {
    await this.chain.orchestrator(this.name).then(
      (view) => this.follow(view),
      () => undefined,
    );
  }

  async tell(beat: Beat): Promise<void> {
    await this.chain.beat(this.name, beat).then(
      (view) => this.follow(view),
      () => undefined,
    );
  }

  private follow({ settings, keyGeneration }: OrchestratorView): void {
    this.settings = settings;
    const isNew = keyGeneration.number > (this.seenKeyGeneration ?? keyGeneration.number);
    this.seenKeyGeneration = keyGeneration.number;
    if (isNew) this.onKeyGeneration(keyGeneration.ms);
  }
}
