import { z } from "zod";
import { defaultOrchestratorSettings } from "./defaults";
import { merge } from "./nodes";
import type { OrchestratorSettings, OrchestratorSettingsPatch } from "./settings";

const ms = z.number().nonnegative();

/**
 * Command to generate a key. The double numbers these commands. An orchestrator takes part if the number has risen
 * since its start.
 */
export const keyGenerationSchema = z.strictObject({ ms });

/** An orchestrator's own settings and its last commanded key generation. */
export interface OrchestratorView {
  name: string;
  settings: OrchestratorSettings;
  keyGeneration: { number: number; ms: number };
}

/** Commands to orchestrators, by the name of their host. */
export class Orchestrators {
  private readonly overrides = new Map<string, OrchestratorSettingsPatch>();
  private readonly keyGenerations = new Map<string, OrchestratorView["keyGeneration"]>();

  view(name: string): OrchestratorView {
    return {
      name,
      settings: merge(defaultOrchestratorSettings, this.overrides.get(name) ?? {}),
      keyGeneration: this.keyGenerations.get(name) ?? { number: 0, ms: 0 },
    };
  }

  patch(name: string, patch: OrchestratorSettingsPatch): OrchestratorView {
    this.overrides.set(name, { ...this.overrides.get(name), ...patch });
    return this.view(name);
  }

  /** Commands a key generation of this length. Only a running orchestrator takes part. */
  generateKey(name: string, ms: number): OrchestratorView {
    const { number } = this.view(name).keyGeneration;
    this.keyGenerations.set(name, { number: number + 1, ms });
    return this.view(name);
  }

  forget(name: string): void {
    this.overrides.delete(name);
  }
}
