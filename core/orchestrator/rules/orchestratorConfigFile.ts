/** Settings of an orchestrator's config.json; no secret. */
export interface OrchestratorConfigFile {
  /** Absent if the orchestrator uses the folder .orchestrator of its home. */
  readonly dataPath?: string | undefined;
  readonly tssDir?: string | undefined;
  /** Name of the producer's key store below the data path. */
  readonly keyStore: string;
  readonly hasPassphrase: boolean;
  /** True if the orchestrator had a key share at its last start. Without one it reports "live" but signs nothing. */
  readonly hasShare: boolean;
}

type Json = Readonly<Record<string, unknown>>;

export function parseOrchestratorConfig(config: Json): OrchestratorConfigFile {
  const tss = (typeof config.TssConfig === "object" ? config.TssConfig : undefined) as Json | null | undefined;
  const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
  return {
    dataPath: text(config.DataPath),
    tssDir: text(tss?.BaseDir),
    keyStore: text(config.ProducerKeyFileName) ?? "producer",
    hasPassphrase: text(config.ProducerKeyFilePassphrase) !== undefined,
    hasShare: text(tss?.PublicKey) !== undefined,
  };
}
