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
  readonly special?: number;
  /** Free bytes and inodes of the disk, and its mount point. */
  readonly free: number;
  readonly inodes: number;
  readonly mount: string;
  readonly hasNodeKey: boolean;
  readonly hasExecutable: boolean;
  /** Name of the running unit's process, if no process has the configured name. */
  readonly process?: string;
  /** User, and directory in use (links resolved), of the unit's process. */
  readonly user?: string;
  readonly works?: string;
  /** Names of environment variables, without systemd's own: of the process or, if none runs, in the unit's files. */
  readonly environment: readonly string[];
  readonly lacks: readonly string[];
  readonly journal?: string;
}

/** Parses the output of signer_facts. */
export function parseFacts(printed: string): OrchestratorFacts {
  const pairs = printed.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
  });
  const facts = new Map(pairs);
  const text = (name: string) => facts.get(name) ?? "";
  const number = (name: string) => Number(text(name));
  const journal = text("journal");
  const all = (name: string) => pairs.filter(([each]) => each === name).map(([, value]) => value);
  const named = (name: string) => (facts.has(name) ? { [name]: text(name) } : {});
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
    special: number("special") > 0 ? number("special") : undefined,
    hasNodeKey: facts.has("node_producer"),
    hasExecutable: facts.has("executable"),
    lacks: all("lacks"),
    environment: all("environment"),
    ...named("user"),
    ...named("works"),
    ...named("process"),
    ...(journal === "" ? {} : { journal: Buffer.from(journal, "base64").toString("utf8") }),
  };
}
