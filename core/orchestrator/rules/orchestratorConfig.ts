type Json = Readonly<Record<string, unknown>>;

/** Parses the settings of an orchestrator's config.json; no secret. */
export function parseOrchestratorConfig(config: Json) {
  const tss = (typeof config.TssConfig === "object" ? config.TssConfig : undefined) as Json | null | undefined;
  const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
  return {
    /** Absent if the orchestrator uses the folder .orchestrator of its home. */
    dataPath: text(config.DataPath),
    tssDir: text(tss?.BaseDir),
    /** Name of the producer's key store below the data path. */
    keyStore: text(config.ProducerKeyFileName) ?? "producer",
    hasPassphrase: text(config.ProducerKeyFilePassphrase) !== undefined,
    /** True if the orchestrator had a key share at its last start. Without one it reports "live" but signs nothing. */
    hasShare: text(tss?.PublicKey) !== undefined,
  };
}
