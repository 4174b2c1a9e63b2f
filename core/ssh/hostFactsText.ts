import { formatSize } from "../util/sizeText";
import { formatDuration } from "../util/timeText";
import type { NodeHostFacts, UnitFacts } from "./hostFacts";

/** A fact with its label; a row without a label continues the one above. */
type FactRow = readonly [label: string, text: string];

/** Formats a host's facts without its log, most useful first. */
export function listHostFactRows(facts: NodeHostFacts): FactRow[] {
  const { unseen, done, atWork, chainCopy, service, node, disk, memory, killed, load, clock } = facts;
  const rows: (FactRow | undefined)[] = [
    ...(unseen ?? []).map((line, index): FactRow => ["", index === 0 ? `the host can't be read: ${line}` : line]),
    done && ["done so far", doneText(done)],
    atWork === undefined ? undefined : ["at work now", atWork],
    chainCopy && ["chain copy", chainCopyText(chainCopy)],
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

function doneText(done: NonNullable<NodeHostFacts["done"]>): string {
  const steps = Object.entries(done).map(([step, when]) => `${step} ${when}`);
  return steps.length === 0 ? "nothing" : steps.join(", ");
}

const phases: Readonly<Record<string, string>> = {
  hashed: ", and their hash is computed",
  used: ", and the node starts with them",
};

function chainCopyText(copy: NonNullable<NodeHostFacts["chainCopy"]>): string {
  if ("left" in copy)
    return `${formatSize(copy.left)} of an interrupted copy are in ${copy.at}; the next run continues from there, or removes them`;
  const { phase, since, from, newest, bytes, all, now } = copy;
  const clock = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(11, 19)} UTC`;
  const arrived = `${formatSize(bytes)} of ${formatSize(all)} arrived (${all > 0 ? Math.floor((100 * bytes) / all) : 100} %)`;
  if (phase !== "travels") return `${arrived}${phases[phase] ?? ""}, since ${clock(since)}`;
  if (now - newest > 60) return `${arrived}; no data since ${clock(newest)}`;
  const rate = newest > since ? (bytes - from) / (newest - since) : 0;
  if (rate <= 0) return arrived;
  const left = formatDuration((Math.max(0, all - bytes) / rate) * 1000);
  return `${arrived}, ${((rate * 8) / 1e6).toFixed(1)} Mbit/s, ${left} left`;
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
