import { z } from "zod";
import { defaultOrchestratorSettings } from "./defaults";
import { merge } from "./nodes";

const count = z.number().int().nonnegative();
const ms = z.number().nonnegative();

/** What a test can command of one orchestrator. Null means: the natural thing. */
export const orchestratorSettingsSchema = z.strictObject({
  /** How often it asks its node whether that is synced, until it is. */
  syncPollMs: ms,
  /** It goes on waiting for its node, synced or not. */
  waits: z.boolean(),
  /** The version it gives of itself; before v0.0.8 it has no RPC. */
  version: z.string().nullable(),
  /** Peers in getStatus. */
  peers: count,
  /** Requests in getStatus that wait for a signature, of each network. */
  toSign: count,
  /** The bridge is halted: so is it, and GlobalState says so. */
  halted: z.boolean(),
  /** What getStatus says, whatever is so: 0 live, 1 key generation, 2 halted, 3 emergency, 4 re-sign. */
  state: z.number().int().min(0).max(4).nullable(),
  /** The RPC port is closed while the process lives and signs. */
  rpcDown: z.boolean(),
  /** RPC connections are accepted and never answered; the process goes on signing. */
  freeze: z.boolean(),
  /** Every RPC request is answered with this instead. */
  rawAnswer: z.strictObject({ status: count, body: z.string(), contentType: z.string().optional() }).nullable(),
  /** The process ends with a panic this long after each moment from which it may sign. */
  crashAfterMs: ms.nullable(),
  /** How long a stop takes; it signs and holds its lock until the end of it. */
  stopMs: ms,
});

/** The settings of one orchestrator. */
export type OrchestratorSettings = z.infer<typeof orchestratorSettingsSchema>;

/** A change of settings: the keys that are given. */
export type OrchestratorSettingsPatch = { [K in keyof OrchestratorSettings]?: OrchestratorSettings[K] | undefined };

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
