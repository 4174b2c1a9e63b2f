import { fieldsOf } from "../util/fields";
import type { Connection } from "./connection";
import { runScript, type ScriptError } from "./runScript";

const limit = 30_000;

/** A node's unit, in systemd's words. */
export interface UnitFacts {
  readonly name: string;
  /** `loaded`, `masked`, `not-found`, …; empty where systemd says nothing. */
  readonly load: string;
  readonly active: string;
  readonly sub: string;
  /** When its state changed last, with the zone. */
  readonly since: string;
  /** So often systemd started it again after a failure. */
  readonly restarts: number;
  /** How it ended last. */
  readonly result: string;
  /** The node's processes that this unit does not run, and where they run; empty where there are none. */
  readonly elsewhere: string;
}

/** How far a copy of a chain is; times in unix seconds, by the host's clock. */
export interface ChainCopyProgress {
  readonly phase: string;
  /** When the phase began, and the bytes that were there then. */
  readonly since: number;
  readonly from: number;
  /** When something came last. */
  readonly newest: number;
  readonly bytes: number;
  readonly all: number;
  readonly now: number;
}

/** What the host's markers tell of, in the order of the work. */
export const markedSteps = ["packages", "deployed", "synced"] as const;
export type MarkedStep = (typeof markedSteps)[number];

/** What a node's host tells of itself; what is absent was not asked or not told. */
export interface NodeHostFacts {
  /** Why the host, or the rest of it, could not be looked at: lines. */
  readonly unseen?: readonly string[];
  /** Which of its steps this program has done there, and when. */
  readonly done?: Readonly<Partial<Record<MarkedStep, string>>>;
  /** The step of this program that is at work there. */
  readonly atWork?: string;
  /** A copy that is on its way here, or the bytes that one which was cut off has left. */
  readonly chainCopy?: ChainCopyProgress | { readonly at: string; readonly left: number };
  readonly service?: UnitFacts;
  /** `peers` is absent where the RPC gives no answer. */
  readonly node?: { readonly rpc: string; readonly p2pPort: number; readonly peers?: number };
  /** KiB of the file system with the node's data. */
  readonly disk?: { readonly at: string; readonly size: number; readonly free: number };
  /** KiB. */
  readonly memory?: Readonly<Record<"total" | "available" | "swap" | "swapFree", number>>;
  /** The kernel's word of a process that it killed for want of memory, within a day. */
  readonly killed?: string;
  readonly load?: { readonly averages: string; readonly cores: number };
  /** `isKept`: something keeps it right. */
  readonly clock?: { readonly now: string; readonly isKept: boolean };
  /** The service's latest log lines, as journalctl prints them with `short-iso`. */
  readonly log: readonly string[];
}

/**
 * What a host says of itself: service, peers, disk, memory, the latest log lines without secrets.
 *
 * @param script what `core/steps/host/hostFacts.sh` became: the text for `bash -euo pipefail -s` as the login user
 * @returns what could be had, with the reason where that is not all; never throws
 */
export async function readHostFacts(connection: Connection, script: string): Promise<NodeHostFacts> {
  try {
    return parseNodeHostFacts(await runScript(connection, "facts", script, limit));
  } catch (error) {
    const { message, printed = [] } = error as Partial<ScriptError>;
    const unseen = (message ?? String(error)).split("\n").slice(0, 5);
    return { ...parseNodeHostFacts(printed), unseen };
  }
}

/** Reads what `core/steps/host/hostFacts.sh` prints. */
export function parseNodeHostFacts(lines: readonly string[]): NodeHostFacts {
  const fields = fieldsOf(lines);
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
    ...chainCopyOf(text("chainCopy.progress"), text("chainCopy.at"), number("chainCopy.left")),
    service: text("service.name") === "" ? undefined : unitOf(text),
    node: p2pPort === undefined ? undefined : { rpc: text("node.rpc"), p2pPort, peers },
    disk: size === undefined || free === undefined ? undefined : { at, size, free },
    memory: total === undefined || available === undefined ? undefined : { total, available, swap, swapFree },
    killed: text("memory.killed") === "" ? undefined : text("memory.killed"),
    load: cores === undefined ? undefined : { averages: text("load"), cores },
    clock: text("clock") === "" ? undefined : { now: text("clock"), isKept: text("clock.kept") === "yes" },
    log: all("log"),
  };
}

function chainCopyOf(progress: string, at: string, left: number | undefined): Pick<NodeHostFacts, "chainCopy"> {
  const [phase = "", ...numbers] = progress.split(" ");
  const [since, from, newest, bytes, all, now] = numbers.map(Number);
  if (
    since !== undefined &&
    from !== undefined &&
    newest !== undefined &&
    bytes !== undefined &&
    all !== undefined &&
    now
  )
    return { chainCopy: { phase, since, from, newest, bytes, all, now } };
  return left === undefined ? {} : { chainCopy: { at, left } };
}

function unitOf(text: (name: string) => string): UnitFacts {
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
