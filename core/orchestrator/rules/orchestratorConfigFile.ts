/** What an orchestrator's config.json says of its places; no secret. */
export interface OrchestratorConfigFile {
  /** Absent where the file has none: the orchestrator then takes the folder .orchestrator of its home. */
  readonly dataPath?: string;
  readonly tssDir?: string;
  /** Of the producer's key store, below the data path. */
  readonly keyStore: string;
  readonly hasPassphrase: boolean;
  /** Whether it had a share of the bridge's key at its last start: without one it lives on as "live", and signs nothing. */
  readonly hasShare: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads it. @param config the JSON of config.json */
export function orchestratorConfigOf(config: Json): OrchestratorConfigFile {
  const tss = (typeof config.TssConfig === "object" ? config.TssConfig : undefined) as Json | null | undefined;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const place = (name: string, value: unknown) => (text(value) === "" ? {} : { [name]: text(value) });
  return {
    ...place("dataPath", config.DataPath),
    ...place("tssDir", tss?.BaseDir),
    keyStore: text(config.ProducerKeyFileName) || "producer",
    hasPassphrase: text(config.ProducerKeyFilePassphrase) !== "",
    hasShare: text(tss?.PublicKey) !== "",
  };
}
