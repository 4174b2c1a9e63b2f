import { defaultOrchestratorSettings } from "./defaults";
import { merge } from "./nodes";
import type { OrchestratorSettings, OrchestratorSettingsPatch } from "./settings";

/** An orchestrator's own settings and commands. */
export interface OrchestratorView {
  name: string;
  settings: OrchestratorSettings;
  /** Number of commanded key generations. An orchestrator takes part if the number has risen since its start. */
  keyGenerations: number;
}

/** Commands to orchestrators, by the name of their host. */
export class Orchestrators {
  private readonly overrides = new Map<string, OrchestratorSettingsPatch>();
  private readonly keyGenerations = new Map<string, number>();

  view(name: string): OrchestratorView {
    return {
      name,
      settings: merge(defaultOrchestratorSettings, this.overrides.get(name) ?? {}),
      keyGenerations: this.keyGenerations.get(name) ?? 0,
    };
  }

  patch(name: string, patch: OrchestratorSettingsPatch): OrchestratorView {
    this.overrides.set(name, { ...this.overrides.get(name), ...patch });
    return this.view(name);
  }

  /** Commands a key generation. Only a running orchestrator takes part. */
  generateKey(name: string): OrchestratorView {
    this.keyGenerations.set(name, this.view(name).keyGenerations + 1);
    return this.view(name);
  }
}
