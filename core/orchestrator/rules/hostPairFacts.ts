import { parseFields } from "../../util/fields";

/** Facts about a host (orchestrator/orchestratorFacts.sh). */
export interface OrchestratorFacts {
  /** States of the unit by systemd: loaded, not-found, masked; active, inactive… */
  readonly load: string;
  readonly active: string;
  /** `there`, `none`, `link` or `no directory`. */
  readonly directory: string;
  /** Path of the directory with its links resolved. */
  readonly real: string;
  readonly bytes: number;
  readonly files: number;
  readonly shares: number;
  /** Number of paths with setuid, setgid or the sticky bit, or writable by everybody. */
  readonly special?: number | undefined;
  /** Free bytes and inodes of the disk, and its mount point. */
  readonly free: number;
  readonly inodes: number;
  readonly mount: string;
  readonly hasNodeKey: boolean;
  readonly hasExecutable: boolean;
  /** Name of the running unit's process, if no process has the configured name. */
  readonly process?: string | undefined;
  /** User, and directory in use (links resolved), of the unit's process. */
  readonly user?: string | undefined;
  readonly works?: string | undefined;
  /** Names of environment variables, without systemd's own: of the process or, if none runs, in the unit's files. */
  readonly environment: readonly string[];
  readonly lacks: readonly string[];
  readonly journal?: string | undefined;
}

/** Parses the output of signer_facts. */
export function parseFacts(printed: string): OrchestratorFacts {
  const fields = parseFields(printed);
  const facts = new Map(fields);
  const text = (name: string) => facts.get(name) ?? "";
  const number = (name: string) => Number(text(name));
  const all = (name: string) => fields.filter(([each]) => each === name).map(([, value]) => value);
  return {
    load: text("load"),
    active: text("active"),
    directory: text("directory"),
    real: text("real"),
    mount: text("mount"),
    bytes: number("bytes"),
    files: number("files"),
    shares: number("shares"),
    free: number("free"),
    inodes: number("inodes"),
    special: number("special") || undefined,
    hasNodeKey: facts.has("node_producer"),
    hasExecutable: facts.has("executable"),
    lacks: all("lacks"),
    environment: all("environment"),
    user: facts.get("user"),
    works: facts.get("works"),
    process: facts.get("process"),
    journal: facts.has("journal") ? Buffer.from(text("journal"), "base64").toString("utf8") : undefined,
  };
}
