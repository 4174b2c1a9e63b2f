import { parseFields } from "../../util/fields.ts";
import { parseJournal } from "./journal.ts";

export type OrchestratorFacts = ReturnType<typeof parseFacts>;

/** Parses the output of signer_facts (orchestrator/orchestratorFacts.sh). @throws if the journal can't be read */
export function parseFacts(printed: string, address: string) {
  const fields = parseFields(printed);
  const facts = new Map(fields);
  const text = (name: string) => facts.get(name) ?? "";
  const number = (name: string) => Number(text(name));
  return {
    /** States of the unit by systemd: loaded, not-found, masked; active, inactive… */
    load: text("load"),
    active: text("active"),
    /** `there`, `none`, `link` or `no directory`. */
    directory: text("directory"),
    /** Path of the directory with its links resolved. */
    real: text("real"),
    bytes: number("bytes"),
    files: number("files"),
    shares: number("shares"),
    /** Number of paths with setuid, setgid or the sticky bit, or writable by everybody. */
    special: number("special"),
    /** Free bytes of the disk, and its mount point. */
    free: number("free"),
    mount: text("mount"),
    hasExecutable: facts.has("executable"),
    /** Name of the running unit's process, if no process has the configured name. */
    process: facts.get("process"),
    /** User, and directory in use (links resolved) by the unit's process. */
    user: facts.get("user"),
    works: facts.get("works"),
    lacks: fields.flatMap(([name, value]) => (name === "lacks" ? [value] : [])),
    journal: parseJournal(Buffer.from(text("journal"), "base64").toString("utf8"), address),
  };
}

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
