import { parseFields } from "../util/fields.ts";
import { type Connection, runScript, type ScriptError } from "./connection.ts";

const timeoutMs = 30_000;

const markedSteps = ["packages", "deployed", "synced"] as const;
type MarkedStep = (typeof markedSteps)[number];

/** `unseen`: lines on why the host, or the rest of the facts, could not be read. */
export type NodeHostFacts = Partial<HostFacts> & Pick<HostFacts, "log"> & { readonly unseen?: readonly string[] };

type HostFacts = ReturnType<typeof parseNodeHostFacts>;

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

/** Parses what a node's host reports about itself. A field is undefined if it was not asked for, or not reported. */
export function parseNodeHostFacts(lines: readonly string[]) {
  const fields = parseFields(lines);
  const all = (name: string) => fields.filter(([each]) => each === name).map(([, value]) => value);
  const text = (name: string) => all(name)[0] || undefined;
  const number = (name: string) => (/^\d+$/.test(text(name) ?? "") ? Number(text(name)) : undefined);
  const [size, free] = [number("disk.size"), number("disk.free")];
  const [total, available] = [number("memory.MemTotal"), number("memory.MemAvailable")];
  const [swap = 0, swapFree = 0] = [number("memory.SwapTotal"), number("memory.SwapFree")];
  const [p2pPort, cores, now] = [number("node.p2p"), number("cores"), text("clock")];
  const done = markedSteps.flatMap((step) => all(`done.${step}`).map((when) => [step, when] as const));
  const times: Readonly<Partial<Record<MarkedStep, string>>> = Object.fromEntries(done);
  return {
    done: text("stages") === "asked" ? times : undefined,
    atWork: text("atWork"),
    service: text("service.name") === undefined ? undefined : parseUnit((name) => text(`service.${name}`) ?? ""),
    /** `peers` is undefined if the RPC does not answer. */
    node: p2pPort === undefined ? undefined : { rpc: text("node.rpc") ?? "", p2pPort, peers: number("node.peers") },
    /** KiB of the file system with the node's data. */
    disk: size === undefined || free === undefined ? undefined : { at: text("disk.at") ?? "", size, free },
    /** Sizes in KiB. */
    memory: total === undefined || available === undefined ? undefined : { total, available, swap, swapFree },
    /** Kernel message about a process killed for lack of memory within a day. */
    killed: text("memory.killed"),
    load: cores === undefined ? undefined : { averages: text("load") ?? "", cores },
    /** `isKept`: true if the clock is synchronized. */
    clock: now === undefined ? undefined : { now, isKept: text("clock.kept") === "yes" },
    /** Latest log lines of the service, in journalctl's format `short-iso`. */
    log: all("log"),
  };
}

type UnitFacts = ReturnType<typeof parseUnit>;

function parseUnit(text: (name: string) => string) {
  return {
    name: text("name"),
    /** `loaded`, `masked`, `not-found`, …; empty if systemd does not report it. */
    load: text("load"),
    active: text("active"),
    sub: text("sub"),
    /** Time of the last state change, with the zone. */
    since: text("since"),
    restarts: Number(text("restarts")) || 0,
    result: text("result"),
    /** Node processes outside of this unit, and where they run; empty if there are none. */
    elsewhere: text("elsewhere"),
  };
}

/** A fact with its label; a row without a label continues the one above. */
type FactRow = readonly [label: string, text: string];

/** Formats a host's facts without its log, most useful first. */
export function listHostFactRows(facts: NodeHostFacts): FactRow[] {
  const { unseen, done, atWork, service, node, disk, memory, killed, load, clock } = facts;
  const rows: (FactRow | undefined)[] = [
    ...(unseen ?? []).map((line, index): FactRow => ["", index === 0 ? `the host can't be read: ${line}` : line]),
    done && [
      "done so far",
      Object.entries(done)
        .map((step) => step.join(" "))
        .join(", ") || "nothing",
    ],
    atWork === undefined ? undefined : ["at work now", atWork],
    service && formatServiceRow(service),
    node && formatPeersRow(node),
    disk && ["disk", diskText(disk)],
    memory && ["memory", memoryText(memory)],
    killed === undefined ? undefined : ["memory", `the kernel killed a process for lack of memory: ${killed}`],
    load && ["load", `${load.averages} on ${load.cores} cores`],
    clock && ["clock", `${clock.now}, ${clock.isKept ? "" : "not "}synchronized`],
  ];
  return rows.filter((row) => row !== undefined);
}

export function formatHostFacts(facts: NodeHostFacts): string[] {
  const log = facts.log.map((line): FactRow => ["log", line]);
  return [...listHostFactRows(facts), ...log].map(([label, text]) => (label === "" ? text : `${label}: ${text}`));
}

function formatServiceRow({ name, load, active, sub, since, restarts, result, elsewhere }: UnitFacts): FactRow {
  if (elsewhere !== "") return ["service", `the node does not run in ${name}: ${elsewhere}`];
  if (load === "masked") return ["service", `${name} is ${active}, and masked: it does not start again by itself`];
  if (load !== "loaded") return ["service", `the host has no unit ${name}`];
  const more = [
    restarts === 0 ? [] : [`systemd restarted it ${restarts} times after failures`],
    result === "" || result === "success" ? [] : [`its last result is ${result}`],
  ].flat();
  return ["service", [`${name} is ${active} (${sub})${since === "" ? "" : ` since ${since}`}`, ...more].join(", ")];
}

function formatPeersRow({ peers, rpc, p2pPort }: NonNullable<NodeHostFacts["node"]>): FactRow {
  if (peers === undefined) return ["peers", `unknown, the RPC at ${rpc} does not answer`];
  if (peers > 0) return ["peers", String(peers)];
  return ["peers", `0. Is ${p2pPort}, tcp and udp, open to the world, at the provider's firewall too?`];
}

function diskText({ at, size, free }: NonNullable<NodeHostFacts["disk"]>): string {
  const gigabytes = (kib: number) => (kib / 1e6).toFixed(1);
  const full = free < 1e6 ? ". Nearly full: the node stops without room" : "";
  return `${gigabytes(free)} of ${gigabytes(size)} GB free at ${at}${full}`;
}

function memoryText({ total, available, swap, swapFree }: NonNullable<NodeHostFacts["memory"]>): string {
  const mib = (kib: number) => Math.floor(kib / 1024);
  const full = available < total / 20 ? ". Nearly used up: restarting the service frees it" : "";
  return `${mib(available)} of ${mib(total)} MiB available, ${mib(swap - swapFree)} of ${mib(swap)} MiB of swap used${full}`;
}
