import { connect } from "node:net";
import type { StackConfig } from "../config/config.ts";
import type { TextLine } from "../util/commands.ts";

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

/** Formats the wrong ports, with the commands that correct them on the host; empty if all are right. */
export function findPortProblems(found: readonly PortResult[]): TextLine[] {
  const wrong = found.filter(isWrong);
  if (wrong.length === 0) return [];
  const opened = wrong.filter(({ wanted }) => wanted === "closed");
  const closed = wrong.filter(({ wanted }) => wanted === "open");
  return [
    ...opened.map(({ port, what }) => `${port}/tcp, ${what}, is open to this machine; needed: closed to everybody`),
    ...(opened.length > 0 ? ["  To close it, on the host:", ...closing(opened)] : []),
    ...closed.map(
      ({ port, what, seen, udp }) =>
        `${port}/tcp, ${what}, is closed to this machine (${stateWords[seen]}); needed: open to everybody${udp ? ", over udp too" : ""}`,
    ),
    ...(closed.length > 0 ? ["  To open it, on the host:", ...opening(closed)] : []),
    "  Use the tool that manages this host's ports. Set a provider's firewall in the provider's console.",
  ];
}

/** Returns commands that close ports before all other rules, and only these ports, so that nobody is locked out. */
function closing(found: readonly PortResult[]): TextLine[] {
  const ports = found.map(({ port }) => port);
  // ufw skips a rule if it already has it with another action, so delete the rule that opened the port first.
  const ufw = ports.map((port) => `ufw delete allow ${port}/tcp; ufw prepend deny ${port}/tcp`).join("; ");
  const rich = ports.map((port) => `--add-rich-rule='rule port port=${port} protocol=tcp drop'`).join(" ");
  const chain = `type filter hook input priority -10; iifname != "lo" tcp dport { ${ports.join(", ")} } drop;`;
  return [
    { command: `    ufw: ${ufw}` },
    { command: `    firewalld: firewall-cmd --permanent ${rich} && firewall-cmd --reload` },
    { command: `    nftables: nft 'table inet pillar { chain input { ${chain} }; }'` },
    "      (until the next boot; to keep it: nft list table inet pillar >> /etc/nftables.conf)",
  ];
}

function opening(found: readonly PortResult[]): TextLine[] {
  const each = found.flatMap(({ port, udp }) => [[port, "tcp"], ...(udp ? [[port, "udp"]] : [])]);
  const ufw = each.map(([port, protocol]) => `ufw allow ${port}/${protocol}`);
  const adds = each.map(([port, protocol]) => `--add-port=${port}/${protocol}`);
  const rules = each.map(([port, protocol]) => `nft insert rule inet filter input ${protocol} dport ${port} accept`);
  return [
    { command: `    ufw: ${ufw.join(" && ")}` },
    { command: `    firewalld: firewall-cmd --permanent ${adds.join(" ")} && firewall-cmd --reload` },
    { command: `    nftables: ${rules.join(" && ")}` },
    "      (use the table and chain that drop, see nft list ruleset; to keep it: add the same to /etc/nftables.conf)",
  ];
}
