import type { StackConfig } from "../config/config.ts";
import type { CallError, RootHost } from "../ssh/root.ts";
import { type FactsByName, parseFacts, readHostFacts } from "./facts.ts";

const stageNames = ["done", "atWork"] as const;
const nodeNames = ["service", "node", "disk", "memory", "killed", "load", "clock", "log", "units"] as const;

/** Shown facts of a node's host. `unseen`: lines on why the host, or the rest of the facts, could not be read. */
export type NodeFacts = Partial<Pick<FactsByName, (typeof stageNames | typeof nodeNames)[number]>> & {
  readonly unseen?: readonly string[];
};

/** Paths and ports of a node. `services`: units whose restarts and open files are counted. */
export type NodePaths = Pick<StackConfig["node"], "service" | "dataDir" | "rpcAddress" | "rpcPort" | "p2pPort"> & {
  readonly services?: readonly string[];
};

/** Reads what explains the state of a node's host, without secrets. Never throws. */
export async function readNodeFacts(
  root: Pick<RootHost, "address" | "call">,
  { service, dataDir, rpcAddress, rpcPort, p2pPort, services = [] }: NodePaths,
  { logLines, withStages }: { readonly logLines: number; readonly withStages: boolean },
): Promise<NodeFacts> {
  const names = withStages ? [...stageNames, ...nodeNames] : nodeNames;
  const node = { service, data_dir: dataDir, rpc_address: rpcAddress, rpc_port: rpcPort, p2p_port: p2pPort, services };
  return readHostFacts(root, names, { ...node, log_lines: logLines }).catch(({ message, printed = "" }: CallError) => ({
    ...parseFacts(printed, names),
    unseen: message.split("\n").slice(0, 5),
  }));
}

/** True if less than a tenth of a disk is free, or hardly any inode. */
export const isNearlyFull = ({ size, free, inodes }: NonNullable<NodeFacts["disk"]>) =>
  free < size / 10 || hasFewInodes(inodes);

/** Tells if hardly any inode is free. Some file systems count none. */
const hasFewInodes = (inodes = 1e9) => inodes < 1000;

export const formatFree = ({ at, size, free, inodes }: NonNullable<NodeFacts["disk"]>) =>
  `${formatGb(free)} of ${formatGb(size)} GB free at ${at}${hasFewInodes(inodes) ? `, ${inodes} inodes free` : ""}`;

export const formatKilled = (killed: string) => `the kernel killed a process for lack of memory: ${killed}`;

/** A fact with its label; a row without a label continues the one above. */
type FactRow = readonly [label: string, text: string];

/** Formats a host's facts without its log, most useful first. */
export function listHostFactRows(facts: NodeFacts): FactRow[] {
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
    disk && ["disk", `${formatFree(disk)}${isNearlyFull(disk) ? ". Nearly full: the node stops without room" : ""}`],
    memory && ["memory", memoryText(memory)],
    killed === undefined ? undefined : ["memory", formatKilled(killed)],
    load && ["load", `${load.averages} on ${load.cores} cores`],
    clock && ["clock", `${clock.now}, ${clock.isKept ? "" : "not "}synchronized`],
  ];
  return rows.filter((row) => row !== undefined);
}

export function formatHostFacts(facts: NodeFacts): string[] {
  const log = (facts.log ?? []).map((line): FactRow => ["log", line]);
  return [...listHostFactRows(facts), ...log].map(([label, text]) => (label === "" ? text : `${label}: ${text}`));
}

function formatServiceRow({
  name,
  load,
  active,
  sub,
  since,
  restarts,
  result,
  isDisabled,
  elsewhere,
}: NonNullable<NodeFacts["service"]>): FactRow {
  if (elsewhere !== "") return ["service", `the node does not run in ${name}: ${elsewhere}`];
  if (load === "masked") return ["service", `${name} is ${active}, and masked: it does not start again by itself`];
  if (load !== "loaded") return ["service", `the host has no unit ${name}`];
  const more = [
    restarts === 0 ? [] : [`systemd restarted it ${restarts} times after failures`],
    result === "" || result === "success" ? [] : [`its last result is ${result}`],
    isDisabled ? ["no boot starts it (systemctl enable)"] : [],
  ].flat();
  return ["service", [`${name} is ${active} (${sub})${since === "" ? "" : ` since ${since}`}`, ...more].join(", ")];
}

function formatPeersRow({ peers, rpc, p2pPort }: NonNullable<NodeFacts["node"]>): FactRow {
  if (peers === undefined) return ["peers", `unknown, the RPC at ${rpc} does not answer`];
  if (peers > 0) return ["peers", String(peers)];
  return ["peers", `0. Is ${p2pPort}, tcp and udp, open to the world, at the provider's firewall too?`];
}

/** Formats a size in KiB without its unit, GB. */
export const formatGb = (kib: number) => ((kib * 1024) / 1e9).toFixed(1);

function memoryText({ total, available, swap, swapFree }: NonNullable<NodeFacts["memory"]>): string {
  const mib = (kib: number) => Math.floor(kib / 1024);
  const full = available < total / 20 ? ". Nearly used up: restarting the service frees it" : "";
  return `${mib(available)} of ${mib(total)} MiB available, ${mib(swap - swapFree)} of ${mib(swap)} MiB of swap used${full}`;
}
