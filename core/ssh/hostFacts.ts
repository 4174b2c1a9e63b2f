import { parseFields } from "../util/fields";
import type { Connection } from "./connection";
import { runScript, type ScriptError } from "./runScript";

const timeoutMs = 30_000;

export interface UnitFacts {
  readonly name: string;
  /** `loaded`, `masked`, `not-found`, …; empty if systemd does not report it. */
  readonly load: string;
  readonly active: string;
  readonly sub: string;
  /** Time of the last state change, with the zone. */
  readonly since: string;
  readonly restarts: number;
  readonly result: string;
  /** Node processes outside of this unit, and where they run; empty if there are none. */
  readonly elsewhere: string;
}

/** Progress of a chain copy; times in unix seconds by the host's clock. */
interface ChainCopyProgress {
  readonly phase: string;
  readonly since: number;
  readonly from: number;
  readonly newest: number;
  readonly bytes: number;
  readonly all: number;
  readonly now: number;
}

const markedSteps = ["packages", "deployed", "synced"] as const;
type MarkedStep = (typeof markedSteps)[number];

/** Facts that a node's host reports about itself; a field is absent if it was not asked for, or not reported. */
export interface NodeHostFacts {
  /** Lines on why the host, or the rest of the facts, could not be read. */
  readonly unseen?: readonly string[];
  readonly done?: Readonly<Partial<Record<MarkedStep, string>>>;
  /** Step of this program that runs on the host now. */
  readonly atWork?: string;
  /** A running copy, or the bytes left by an interrupted one. */
  readonly chainCopy?: ChainCopyProgress | { readonly at: string; readonly left: number };
  readonly service?: UnitFacts;
  /** `peers` is absent if the RPC does not answer. */
  readonly node?: { readonly rpc: string; readonly p2pPort: number; readonly peers?: number };
  /** KiB of the file system with the node's data. */
  readonly disk?: { readonly at: string; readonly size: number; readonly free: number };
  /** Sizes in KiB. */
  readonly memory?: Readonly<Record<"total" | "available" | "swap" | "swapFree", number>>;
  /** Kernel message about a process killed for lack of memory within a day. */
  readonly killed?: string;
  readonly load?: { readonly averages: string; readonly cores: number };
  /** `isKept`: true if the clock is synchronized. */
  readonly clock?: { readonly now: string; readonly isKept: boolean };
  /** Latest log lines of the service, in journalctl's format `short-iso`. */
  readonly log: readonly string[];
}

/**
 * Reads a host's facts with `core/steps/host/hostFacts.sh`, without secrets. Never throws: a failure gives `unseen` and
 * the facts read so far.
 */
export async function readHostFacts(connection: Connection, script: string): Promise<NodeHostFacts> {
  try {
    return parseNodeHostFacts(await runScript(connection, "facts", script, timeoutMs));
  } catch (error) {
    const { message, printed = [] } = error as Partial<ScriptError>;
    const unseen = (message ?? String(error)).split("\n").slice(0, 5);
    return { ...parseNodeHostFacts(printed), unseen };
  }
}

export function parseNodeHostFacts(lines: readonly string[]): NodeHostFacts {
  const fields = parseFields(lines);
  const all = (name: string) => fields.filter(([each]) => each === name).map(([, value]) => value);
  const text = (name: string) => all(name)[0] ?? "";
  const number = (name: string) => (/^\d+$/.test(text(name)) ? Number(text(name)) : undefined);
  const [at, size, free] = [text("disk.at"), number("disk.size"), number("disk.free")];
  const [total, available] = [number("memory.MemTotal"), number("memory.MemAvailable")];
  const [swap = 0, swapFree = 0] = [number("memory.SwapTotal"), number("memory.SwapFree")];
  const [p2pPort, peers, cores] = [number("node.p2p"), number("node.peers"), number("cores")];
  const done = markedSteps.flatMap((step) => all(`done.${step}`).map((when) => [step, when] as const));
  return {
    done: text("stages") === "asked" ? Object.fromEntries(done) : undefined,
    atWork: text("atWork") === "" ? undefined : text("atWork"),
    ...parseChainCopy(text("chainCopy.progress"), text("chainCopy.at"), number("chainCopy.left")),
    service: text("service.name") === "" ? undefined : parseUnit(text),
    node: p2pPort === undefined ? undefined : { rpc: text("node.rpc"), p2pPort, peers },
    disk: size === undefined || free === undefined ? undefined : { at, size, free },
    memory: total === undefined || available === undefined ? undefined : { total, available, swap, swapFree },
    killed: text("memory.killed") === "" ? undefined : text("memory.killed"),
    load: cores === undefined ? undefined : { averages: text("load"), cores },
    clock: text("clock") === "" ? undefined : { now: text("clock"), isKept: text("clock.kept") === "yes" },
    log: all("log"),
  };
}

function parseChainCopy(progress: string, at: string, left: number | undefined): Pick<NodeHostFacts, "chainCopy"> {
  const [phase = "", ...numbers] = progress.split(" ");
  const [since = 0, from = 0, newest = 0, bytes = 0, all = 0, now = 0] = numbers.map(Number);
  if (now > 0) return { chainCopy: { phase, since, from, newest, bytes, all, now } };
  return left === undefined ? {} : { chainCopy: { at, left } };
}

function parseUnit(text: (name: string) => string): UnitFacts {
  const of = (name: string) => text(`service.${name}`);
  return {
    name: of("name"),
    load: of("load"),
    active: of("active"),
    sub: of("sub"),
    since: of("since"),
    restarts: Number(of("restarts")) || 0,
    result: of("result"),
    elsewhere: of("elsewhere"),
  };
}
