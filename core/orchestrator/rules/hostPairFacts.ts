/** What orchestrator/orchestratorFacts.sh tells of a host. */
export interface SideFacts {
  /** systemd's words for the unit: loaded, not-found, masked; active, inactive…; enabled… */
  readonly load: string;
  readonly active: string;
  readonly enabled: string;
  /** `there`, `none`, `link` or `no directory`, and what it is a link to. */
  readonly directory: string;
  readonly real: string;
  readonly bytes: number;
  readonly files: number;
  /** Key shares. */
  readonly shares: number;
  /** Files and directories with setuid, setgid or the sticky bit, or that everybody may write. */
  readonly special?: number;
  /** Bytes and files that the disk has room for, and where it is mounted. */
  readonly free: number;
  readonly inodes: number;
  readonly mount: string;
  readonly hasNodeKey: boolean;
  readonly hasExecutable: boolean;
  /** What the process of its unit is called, where that runs and nothing runs under the configured name. */
  readonly process?: string;
  /** Of the unit's process, where it runs: its user, and the directory that it works in, without links. */
  readonly user?: string;
  readonly works?: string;
  /** Names of what that process has in its environment beyond what systemd gives; of a unit that does not run, of its files. */
  readonly environment: readonly string[];
  /** Tools that are needed and not there. */
  readonly lacks: readonly string[];
  /** The text of the move's journal, where there is one. */
  readonly journal?: string;
}

/** Reads what signer_facts prints. */
export function parseFacts(printed: string): SideFacts {
  const pairs = printed.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
  });
  const facts = new Map(pairs);
  const text = (name: string) => facts.get(name) ?? "";
  const journal = text("journal");
  const all = (name: string) => pairs.filter(([each]) => each === name).map(([, value]) => value);
  const named = (name: string) => (facts.has(name) ? { [name]: text(name) } : {});
  return {
    load: text("load"),
    active: text("active"),
    enabled: text("enabled"),
    directory: text("directory"),
    real: text("real"),
    mount: text("mount"),
    bytes: Number(text("bytes")),
    files: Number(text("files")),
    shares: Number(text("shares")),
    free: Number(text("free")),
    inodes: Number(text("inodes")),
    special: Number(text("special")) > 0 ? Number(text("special")) : undefined,
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
