import { z } from "zod";
import { defaultOrchestratorSettings } from "./defaults";
import { merge } from "./nodes";
import type { OrchestratorSettings, OrchestratorSettingsPatch } from "./settings";

const ms = z.number().nonnegative();

/** A commanded key generation: those with a higher number than at its start are an orchestrator's to take part in. */
export const keyGenerationSchema = z.strictObject({ ms });

/** What an orchestrator gets about itself. */
export interface OrchestratorView {
  name: string;
  settings: OrchestratorSettings;
  keyGeneration: { number: number; ms: number };
}

/** What the chain double commands of orchestrators, by the name of their host. */
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

  /** Commands a key generation of this length; only an orchestrator that runs takes part. */
  generateKey(name: string, ms: number): OrchestratorView {
    const { number } = this.view(name).keyGeneration;
    this.keyGenerations.set(name, { number: number + 1, ms });
    return this.view(name);
  }

  forget(name: string): void {
    this.overrides.delete(name);
  }
}
