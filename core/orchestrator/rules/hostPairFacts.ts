import { parseFields } from "../../util/fields";
import { parseJournal } from "./journal";

export type OrchestratorFacts = ReturnType<typeof parseFacts>;

/** Parses the output of signer_facts (orchestrator/orchestratorFacts.sh). @throws if the journal can't be read */
export function parseFacts(printed: string, address: string) {
  const fields = parseFields(printed);
  const facts = new Map(fields);
  const text = (name: string) => facts.get(name) ?? "";
  const number = (name: string) => Number(text(name));
  const all = (name: string) => fields.filter(([each]) => each === name).map(([, value]) => value);
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
    /** Free bytes and inodes of the disk, and its mount point. */
    free: number("free"),
    inodes: number("inodes"),
    mount: text("mount"),
    hasNodeKey: facts.has("node_producer"),
    hasExecutable: facts.has("executable"),
    /** Name of the running unit's process, if no process has the configured name. */
    process: facts.get("process"),
    /** User, and directory in use (links resolved), of the unit's process. */
    user: facts.get("user"),
    works: facts.get("works"),
    /** Names of environment variables, without systemd's own: of the process or, if none runs, in the unit's files. */
    environment: all("environment"),
    lacks: all("lacks"),
    journal: parseJournal(Buffer.from(text("journal"), "base64").toString("utf8"), address),
  };
}
