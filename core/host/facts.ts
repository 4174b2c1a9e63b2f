import { nodeDatabases } from "../chain/nodeDatabases.ts";
import { markOwn } from "../ssh/foreign.ts";
import type { RootHost } from "../ssh/root.ts";
import type { Value } from "../ssh/shellWords.ts";
import { keepPrinted } from "../ssh/sshCommands.ts";
import { parseFields } from "../util/fields.ts";
import { normalizeHost, parseAddresses } from "../util/hostPort.ts";
import { printable } from "../util/printable.ts";
import { ProblemError } from "../util/problem.ts";
import { isKeyShare } from "./shareFileName.ts";

/** States of a unit's file with which no boot starts it, unless another unit does. */
const bootlessStates = ["disabled", "linked", "linked-runtime", "static", "transient"];

/** Parses what the functions facts_… of core/steps/lib/facts.sh print. No secret. */
const parsers = {
  /** First line of each marker in /var/lib/pillar-host, by its name. */
  marks: ({ marks }: Fields) => marks,
  /** Times at which the stack's steps were done. */
  done: ({ marks }: Fields): Readonly<Partial<Record<"packages" | "deployed" | "synced", string>>> => {
    const stages = { packages: marks["packages.done"], deployed: marks["deploy.done"], synced: marks.synced };
    return Object.fromEntries(Object.entries(stages).filter(([, at]) => at !== undefined));
  },
  /** Name of the step that runs now. */
  atWork: ({ text }: Fields) => text("step"),
  /** The node's unit. */
  service: (fields: Fields) => ({
    name: fields.text("service.name") ?? "",
    ...parseUnit(fields, "service"),
    /** Node processes outside of this unit, and where they run; empty if there are none. */
    elsewhere: fields.text("service.elsewhere") ?? "",
  }),
  /** `peers` is undefined if the RPC does not answer. */
  node: ({ text, number }: Fields) => ({
    rpc: text("node.rpc") ?? "",
    p2pPort: number("node.p2p") ?? 0,
    peers: number("node.peers"),
  }),
  /** File system with the node's data, in KiB; undefined if the host does not report it. */
  disk: (fields: Fields) => parseDisk(fields, "disk"),
  /** Sizes in KiB. */
  memory: ({ number }: Fields) => {
    const [total, available] = [number("memory.MemTotal"), number("memory.MemAvailable")];
    const [swap = 0, swapFree = 0] = [number("memory.SwapTotal"), number("memory.SwapFree")];
    return total === undefined || available === undefined ? undefined : { total, available, swap, swapFree };
  },
  /** Kernel message about a process killed for lack of memory within a day. */
  killed: ({ text }: Fields) => text("killed"),
  load: ({ text, number }: Fields) => {
    const cores = number("cores");
    return cores === undefined ? undefined : { averages: text("load") ?? "", cores };
  },
  /** Units with their restarts after failures, and their process's open files, of `limit`. Without a process 0, of 0. */
  units: ({ all }: Fields) =>
    all("unit").map((text) => {
      const [name = "", restarts, files, limit] = text.split(" ");
      return { name, restarts: Number(restarts), files: Number(files), limit: Number(limit) };
    }),
  /** `isKept`: true if the clock is synchronized. */
  clock: ({ text }: Fields) => {
    const now = text("clock");
    return now === undefined ? undefined : { now, isKept: text("clock.kept") === "yes" };
  },
  /** Latest log lines of the node's unit, in journalctl's format `short-iso`. */
  log: ({ all }: Fields): readonly string[] => all("log"),
  /** SHA-256 of the producer address. */
  digest: parseDigest,
  /** Facts for a chain copy. */
  chain: (fields: Fields) => ({
    /** State of each database's place: `there`, `none`, `link`, `mount`, `no directory` (something else is there). */
    databases: Object.fromEntries(nodeDatabases.map((name) => [name, fields.text(`chain.${name}`) ?? ""])),
    bytes: fields.number("chain.bytes") ?? 0,
    free: (parseDisk(fields, "disk")?.free ?? 0) * 1024,
    /** Bytes of a copy that have arrived. */
    staged: fields.number("chain.staged") ?? 0,
    /** Hashes of the network key and of the producer address. */
    networkKey: fields.text("networkKey"),
    producer: parseDigest(fields),
    /** Missing ones of the tools that were asked for. */
    lacks: fields.all("lacks"),
  }),
  orchestrator: parseOrchestrator,
  /** Facts for a guard. */
  retirement: (fields: Fields) => {
    const { text, is, all, marks } = fields;
    const orchestrator = parseOrchestrator(fields);
    return {
      marks,
      addresses: parseAddresses(text("addresses") ?? "") as readonly string[],
      /** Producer address in the node's configuration. */
      producer: text("producer"),
      hasKeyStore: is("keyStore"),
      /** `active`: true also if the node runs outside of its unit. */
      node: { active: is("nodeActive"), masked: is("nodeMasked") },
      orchestrator: {
        ...orchestrator,
        hasDirectory: is("orchestratorDirectory"),
        hasKeyStore: is("orchestratorKeyStore"),
        /** Missing parts of a fenced orchestrator: configuration, key store moved aside, key share. */
        lacks: [
          ...(is("orchestratorConfig") ? [] : ["configuration"]),
          ...(is("orchestratorKeyAside") ? [] : ["key store"]),
          ...(orchestrator.shares.length > 0 ? [] : ["key share"]),
        ],
        /** Absolute paths of key shares outside of the orchestrator's directory. */
        sharesBeside: all("shareBeside"),
        /** The other ends of the connections that its process has made; 127.0.0.1 for this host. */
        connections: parseConnections(fields.fields),
      },
    };
  },
  /** Facts before a move. */
  move: (fields: Fields) => {
    const { text, number, all } = fields;
    return {
      ...parseOrchestrator(fields),
      addresses: parseAddresses(text("addresses") ?? ""),
      /** `there`, `none`, `link` or `no directory`. */
      directory: text("directory") ?? "",
      /** Path of the directory with its links resolved. */
      real: text("real") ?? "",
      bytes: number("bytes") ?? 0,
      files: number("files") ?? 0,
      /** Number of paths with setuid, setgid or the sticky bit, or writable by everybody. */
      special: number("special") ?? 0,
      /** Free bytes and inodes of the disk, and its mount point. Some file systems count no inodes. */
      free: (parseDisk(fields, "place")?.free ?? 0) * 1024,
      inodes: number("place.inodes") ?? Number.POSITIVE_INFINITY,
      mount: text("place.mount") ?? "",
      hasExecutable: text("executable") !== undefined,
      /**
       * Variables of the running unit or, if it does not run, of its files, with a hash of each value that only this run
       * can compare; empty for an empty value.
       */
      environment: new Map(parseFields(all("environment"))),
      /** Name of the running unit's process, if no process has the configured name; may be empty. */
      process: all("process")[0],
      /** User, and directory in use (links resolved) by the unit's process. */
      user: all("user")[0],
      works: all("works")[0],
      lacks: all("lacks"),
    };
  },
};

/** Facts of a host by their name. */
export type FactsByName = { readonly [N in keyof typeof parsers]: ReturnType<(typeof parsers)[N]> };

export type FactGroup = keyof FactsByName;

type Fields = ReturnType<typeof openFields>;

function openFields(printed: string) {
  const fields = parseFields(printed.split("\n").map(printable));
  const values = new Map(fields);
  const text = (name: string) => values.get(name) || undefined;
  const marks = fields.filter(([name]) => name.startsWith("marked."));
  return {
    fields,
    marks: Object.fromEntries(marks.map(([name, value]) => [name.slice("marked.".length), value])),
    /** Returns a value; undefined if it is missing or empty. */
    text,
    all: (name: string) => fields.flatMap(([each, value]) => (each === name ? [value] : [])),
    number: (name: string) => (/^\d+$/.test(text(name) ?? "") ? Number(text(name)) : undefined),
    is: (name: string) => text(name) === "yes",
  };
}

function parseUnit({ text, number }: Fields, name: string) {
  const isPulledIn = ["WantedBy", "RequiredBy", "TriggeredBy"].some((key) => text(`${name}.${key}`) !== undefined);
  return {
    /** `loaded`, `masked`, `not-found`, …; empty if systemd does not report it. */
    load: text(`${name}.LoadState`) ?? "",
    /** `active`, `inactive`, … */
    active: text(`${name}.ActiveState`) ?? "",
    sub: text(`${name}.SubState`) ?? "",
    /** Time of the last state change, with the zone. */
    since: (text(`${name}.StateChangeTimestamp`) ?? "").replace(/^[A-Z][a-z]{2} /, ""),
    restarts: number(`${name}.NRestarts`) ?? 0,
    result: text(`${name}.Result`) ?? "",
    /** True if no boot starts it. */
    ...(isBootless(text(`${name}.UnitFileState`), isPulledIn) && { isDisabled: true }),
  };
}

const isBootless = (state = "", isPulledIn = false) =>
  state === "enabled-runtime" || (bootlessStates.includes(state) && !isPulledIn);

function parseDisk({ text, number }: Fields, name: string) {
  const [size, free] = [number(`${name}.size`), number(`${name}.free`)];
  const inodes = number(`${name}.inodes`);
  return size === undefined || free === undefined
    ? undefined
    : { at: text(`${name}.at`) ?? "", size, free, ...(inodes !== undefined && { inodes }) };
}

function parseDigest({ text }: Fields) {
  return /^[0-9a-f]{64}$/.exec(text("digest") ?? "")?.[0];
}

function parseOrchestrator(fields: Fields) {
  const shares = fields.all("share").map((name) => `tss/${name}`);
  return {
    /** The unit's states and restarts by systemd. */
    unit: parseUnit(fields, "orchestrator"),
    /** True if the unit is not at rest, a process runs, or the port is open. */
    active: fields.is("orchestratorActive"),
    masked: fields.is("orchestratorMasked"),
    /** True if a run is at work on its move. */
    leased: fields.is("orchestratorLeased"),
    /** Key share files, as paths below the orchestrator's directory. */
    shares: shares.filter(isKeyShare),
    /** Text of the move's journal; empty without one. */
    journalText: Buffer.from(fields.text("journal") ?? "", "base64").toString("utf8"),
  };
}

export type Connections = ReturnType<typeof parseConnections>;

/** Parses what connections_of (orchestrator/journal.sh) prints: the other ends of a process's connections. */
export function parseConnections(fields: readonly (readonly [name: string, value: string])[]) {
  return fields.flatMap(([name, value]) => {
    const [, words, port] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(name === "connection" ? value : "") ?? [];
    if (words === undefined || port === undefined) return [];
    // The kernel prints 32-bit words in the byte order of amd64 and arm64.
    const bytes = Buffer.from(words, "hex").swap32();
    const host = bytes.length === 4 ? bytes.join(".") : (bytes.toString("hex").match(/..../g) ?? []).join(":");
    return [{ host: normalizeHost(host), port: Number.parseInt(port, 16) }];
  });
}

/** Parses the output of host_facts. Leaves out facts that were not read to their end. */
export function parseFacts<N extends FactGroup>(printed: string, names: readonly N[]): Partial<Pick<FactsByName, N>> {
  const fields = openFields(printed);
  const read = fields.all("read");
  const whole = names.filter((name) => read.includes(`facts_${name}`));
  return Object.fromEntries(whole.map((name) => [name, parsers[name](fields)])) as Partial<Pick<FactsByName, N>>;
}

/** Reads facts of a host. @throws CallError; with an exit code if the script failed, or the answer was cut off */
export async function readHostFacts<N extends FactGroup>(
  root: Pick<RootHost, "address" | "call">,
  names: readonly N[],
  variables: Readonly<Record<string, Value>>,
): Promise<Pick<FactsByName, N>> {
  const asked = markOwn({ ...variables, groups: names.map((name) => `facts_${name}`) });
  const printed = await root.call("host_facts", asked, { limitSeconds: 30 });
  const facts = parseFacts(printed, names);
  if (names.every((name) => name in facts)) return facts as Pick<FactsByName, N>;
  const error = new ProblemError({ what: `${root.address}: its answer was cut off` });
  throw Object.assign(keepPrinted(error, printed), { exitCode: 0 });
}
