import { connect } from "node:net";
import type { StackConfig } from "../config/config";

/** State of a TCP port as this machine sees it. */
export type PortState =
  | "open"
  /** Rejected: nobody listens, or a firewall rejects. */
  | "refused"
  /** No answer, or a firewall answers that the host is unreachable. */
  | "filtered"
  /** No route, or no such name. */
  | "unknown";

/** Timeouts in milliseconds of each try: a busy machine may answer late, a closed port stays silent. */
const timeoutsMs = { open: [5000, 5000], closed: [2000] } as const;

/** Connects to a TCP port and closes the connection. Never throws. */
export async function tryPort(address: string, port: number, wanted: keyof typeof timeoutsMs): Promise<PortState> {
  let seen: PortState = "filtered";
  for (const limit of timeoutsMs[wanted]) if (seen === "filtered") seen = await tryOnce(address, port, limit);
  return seen;
}

function tryOnce(host: string, port: number, timeout: number): Promise<PortState> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (seen: PortState) => {
      socket.destroy();
      resolve(seen);
    };
    socket.setTimeout(timeout, () => end("filtered"));
    socket.on("connect", () => end("open"));
    socket.on("error", (error: NodeJS.ErrnoException) => end(parsePortState(error.code)));
  });
}

/** Returns the state by a connection's error. A firewall may answer EHOSTUNREACH, so that means `filtered`. */
export function parsePortState(code: string | undefined): PortState {
  if (code === "ECONNREFUSED") return "refused";
  return code === "EHOSTUNREACH" || code === "EACCES" || code === "ETIMEDOUT" ? "filtered" : "unknown";
}

interface PortRule {
  readonly port: number;
  readonly what: string;
  readonly wanted: "open" | "closed";
  /** Networks for which the port is open although it is closed to all others. This machine may be in one of them. */
  readonly openTo?: readonly string[];
  /** True if something listens on the port now: if the port refuses, a firewall closes it. */
  readonly listens: boolean;
  readonly udp?: boolean;
}

export interface PortResult extends PortRule {
  readonly seen: PortState;
}

/** Returns the ports that this machine tries, and their expected state from here (docs/specification.md, 8). */
export function listPortRules(
  { node, orchestrator }: Pick<StackConfig, "node" | "orchestrator">,
  hasSigner: boolean,
  running: Readonly<Record<"node" | "orchestrator", boolean>>,
): PortRule[] {
  const { rpcPort, p2pPort, rpcFrom } = orchestrator;
  const listens = running.orchestrator;
  const openTo = rpcFrom.length === 0 ? undefined : rpcFrom;
  const rules: readonly (PortRule | false)[] = [
    { port: node.p2pPort, what: "the node's peers", wanted: "open", listens: running.node, udp: true },
    // With direct access this machine uses the open port, so it does not check that the port is closed.
    node.rpc === "ssh" && { port: node.rpcPort, what: "the node's RPC", wanted: "closed", listens: running.node },
    { port: node.wsPort, what: "the node's RPC (ws)", wanted: "closed", listens: running.node },
    { port: rpcPort, what: "the orchestrator's RPC", wanted: "closed", listens, openTo },
    hasSigner && { port: p2pPort, what: "the orchestrator's peers", wanted: "open", listens },
  ];
  return rules.filter((rule) => rule !== false);
}

/** Tries all ports at once from this machine. Never throws. Waits long only for ports that should be open. */
export function tryPorts(address: string, rules: readonly PortRule[], tryOne = tryPort): Promise<PortResult[]> {
  return Promise.all(rules.map(async (rule) => ({ ...rule, seen: await tryOne(address, rule.port, rule.wanted) })));
}

/** True if a port is not as it should be. A refused port may just have no listener; only silence proves a firewall. */
export function isWrong({ wanted, openTo, seen, listens }: PortResult): boolean {
  if (wanted === "closed") return seen === "open" && openTo === undefined;
  return seen === "filtered" || (seen === "refused" && listens);
}

const stateWords: Readonly<Record<PortState, string>> = {
  open: "open",
  refused: "refused",
  filtered: "no answer",
  unknown: "not known",
};

export function formatPortList(found: readonly PortResult[]): string {
  const note = (each: PortResult) => {
    if (isWrong(each)) return " (WRONG)";
    return each.openTo && each.seen === "open" ? ` (correct if this machine is in ${each.openTo.join(", ")})` : "";
  };
  return found.map((each) => `${each.port} ${stateWords[each.seen]}${note(each)}`).join("; ");
}

/** Formats the wrong ports, and how to correct them; empty if all are right. */
export function findPortProblems(found: readonly PortResult[]): string[] {
  const problems = found.filter(isWrong).map(({ port, what, wanted, seen, udp }) => {
    if (wanted === "closed") return `${port}/tcp, ${what}, is open to this machine; needed: closed to everybody`;
    return `${port}/tcp, ${what}, is closed to this machine (${stateWords[seen]}); needed: open to everybody${udp ? ", over udp too" : ""}`;
  });
  if (problems.length === 0) return [];
  return [
    ...problems,
    "  Use the tool that manages this host's ports, such as ufw. Set a provider's firewall in the provider's console.",
  ];
}
