import type { ChainClient } from "../chain/client";
import { defaultOrchestratorSettings } from "../chain/defaults";
import type { OrchestratorView } from "../chain/nodes";
import type { OrchestratorSettings } from "../chain/settings";
import type { Beat } from "../chain/signers";

/**
 * Link to the chain double: reports the orchestrator's beats and gets commands. If the chain double does not answer,
 * the last commands stay valid.
 */
export class ChainLink {
  settings: OrchestratorSettings = defaultOrchestratorSettings;
  private seenKeyGenerations: number | undefined;

  constructor(
    private readonly chain: ChainClient,
    private readonly name: string,
    /** Runs for each key generation that is commanded after the first answer. */
    private readonly onKeyGeneration: () => void,
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

  private follow({ settings, keyGenerations }: OrchestratorView): void {
    this.settings = settings;
    const isNew = keyGenerations > (this.seenKeyGenerations ?? keyGenerations);
    this.seenKeyGenerations = keyGenerations;
    if (isNew) this.onKeyGeneration();
  }
}
