import type { ChainClient } from "../chain/client.ts";
import { defaultOrchestratorSettings } from "../chain/defaults.ts";
import type { OrchestratorView } from "../chain/nodes.ts";
import type { OrchestratorSettings } from "../chain/settings.ts";
import type { Beat } from "../chain/signers.ts";

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

  poll(): Promise<void> {
    return this.follow(this.chain.orchestrator(this.name));
  }

  tell(beat: Beat): Promise<void> {
    return this.follow(this.chain.beat(this.name, beat));
  }

  private async follow(asked: Promise<OrchestratorView>): Promise<void> {
    const view = await asked.catch(() => undefined);
    if (view === undefined) return;
    this.settings = view.settings;
    const isNew = view.keyGenerations > (this.seenKeyGenerations ?? view.keyGenerations);
    this.seenKeyGenerations = view.keyGenerations;
    if (isNew) this.onKeyGeneration();
  }
}
