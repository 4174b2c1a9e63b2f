import { createServer } from "node:net";
import { expect, test } from "vitest";
import type { PortResult, PortState } from "../../../core/cloud/portRules.ts";
import {
  findPortProblems,
  formatPortList,
  listPortRules,
  parsePortState,
  tryPort,
  tryPorts,
} from "../../../core/cloud/portRules.ts";
import { formatTextLine } from "../../../core/util/commands.ts";
import { configOf } from "../../components/exampleConfig.ts";
import { listen } from "../chain/fakes.ts";

const all = { node: true, orchestrator: true };
const rulesOf = (changes: Record<string, unknown> = {}, hasSigner = true, running = all) =>
  listPortRules(configOf(changes), hasSigner, running);
const found = (seen: Record<number, PortState>, rules = rulesOf()): PortResult[] =>
  rules.map((rule) => ({ ...rule, seen: seen[rule.port] ?? (rule.wanted === "open" ? "open" : "filtered") }));

const portFaults = (ports: readonly PortResult[]) => findPortProblems(ports).map(formatTextLine);

test("expects open ports for peers, and closed ports for RPC, as far as the configuration has them", () => {
  const expected = (...rules: Parameters<typeof rulesOf>) =>
    rulesOf(...rules).map(({ port, wanted }) => `${port} ${wanted}`);
  expect(expected()).toEqual(["35995 open", "35997 closed", "35998 closed", "55000 closed", "55055 open"]);
  expect(expected({}, false).at(-1)).toBe("55000 closed");
  expect(expected({ node: { rpc: "direct" } })).not.toContain("35997 closed");
  const rules = rulesOf({ node: { p2pPort: 1, rpcPort: 2, wsPort: 3 }, orchestrator: { rpcPort: 4, p2pPort: 5 } });
  expect(rules.map(({ port }) => port)).toEqual([1, 2, 3, 4, 5]);
});

test("problems are none if all ports are right; a refused RPC counts as closed, an unknown state as right", () => {
  expect(portFaults(found({}))).toEqual([]);
  expect(portFaults(found({ 35997: "refused", 35998: "unknown", 35995: "unknown" }))).toEqual([]);
});

test("problems name an open RPC, with the commands that close only that port", () => {
  expect(portFaults(found({ 35997: "open", 55000: "open" }))).toEqual([
    "35997/tcp, the node's RPC, is open to this machine; needed: closed to everybody",
    "55000/tcp, the orchestrator's RPC, is open to this machine; needed: closed to everybody",
    "  To close it, on the host:",
    "    ufw: ufw delete allow 35997/tcp; ufw prepend deny 35997/tcp; ufw delete allow 55000/tcp; ufw prepend deny 55000/tcp",
    "    firewalld: firewall-cmd --permanent --add-rich-rule='rule port port=35997 protocol=tcp drop' --add-rich-rule='rule port port=55000 protocol=tcp drop' && firewall-cmd --reload",
    `    nftables: nft 'table inet pillar { chain input { type filter hook input priority -10; iifname != "lo" tcp dport { 35997, 55000 } drop; }; }'`,
    "      (until the next boot; to keep it: nft list table inet pillar >> /etc/nftables.conf)",
    "  Use the tool that manages this host's ports. Set a provider's firewall in the provider's console.",
  ]);
});

test("problems leave out the orchestrator's RPC if it is opened to named networks", () => {
  const rules = rulesOf({ orchestrator: { rpcFrom: ["192.0.2.0/24", "198.51.100.7/32"] } });
  for (const seen of ["open", "refused", "filtered"] as const)
    expect(portFaults(found({ 55000: seen }, rules))).toEqual([]);
  const correct = "; 55000 open (correct if this machine is in 192.0.2.0/24, 198.51.100.7/32); ";
  expect(formatPortList(found({ 55000: "open" }, rules))).toContain(correct);
  expect(formatPortList(found({}, rules))).toContain("; 55000 no answer; ");
  // The node's RPC must be closed, even if networks are named for the orchestrator's.
  expect(portFaults(found({ 35997: "open", 55000: "open" }, rules))[0]).toMatch(/^35997\/tcp/);
  expect(portFaults(found({ 35997: "open", 55000: "open" }, rules)).join()).not.toContain("55000");
});

test("problems name a closed port of peers, with the commands that open it, over udp too if peers use it", () => {
  expect(portFaults(found({ 35995: "filtered", 55055: "refused" }))).toEqual([
    "35995/tcp, the node's peers, is closed to this machine (no answer); needed: open to everybody, over udp too",
    "55055/tcp, the orchestrator's peers, is closed to this machine (refused); needed: open to everybody",
    "  To open it, on the host:",
    "    ufw: ufw allow 35995/tcp && ufw allow 35995/udp && ufw allow 55055/tcp",
    "    firewalld: firewall-cmd --permanent --add-port=35995/tcp --add-port=35995/udp --add-port=55055/tcp && firewall-cmd --reload",
    "    nftables: nft insert rule inet filter input tcp dport 35995 accept && nft insert rule inet filter input udp dport 35995 accept && nft insert rule inet filter input tcp dport 55055 accept",
    "      (use the table and chain that drop, see nft list ruleset; to keep it: add the same to /etc/nftables.conf)",
    "  Use the tool that manages this host's ports. Set a provider's firewall in the provider's console.",
  ]);
});

test("problems ignore a refused port on which nothing listens yet, but not a silent port", () => {
  const idle = rulesOf({}, true, { node: false, orchestrator: false });
  expect(portFaults(found({ 35995: "refused", 55055: "refused" }, idle))).toEqual([]);
  expect(portFaults(found({ 55055: "filtered" }, idle))[0]).toMatch(/^55055\/tcp/);
});

test("tries each port with its expected state, and formats one line", async () => {
  const tried: string[] = [];
  const seen = await tryPorts("203.0.113.7", rulesOf(), async (address, port, wanted) => {
    tried.push(`${address} ${port} ${wanted}`);
    return port === 35997 ? "open" : port === 35995 ? "refused" : "filtered";
  });
  expect(tried).toContain("203.0.113.7 35995 open");
  expect(tried).toContain("203.0.113.7 35998 closed");
  const line = "35995 refused (WRONG); 35997 open (WRONG); 35998 no answer; 55000 no answer; 55055 no answer (WRONG)";
  expect(formatPortList(seen)).toBe(line);
});

test("finds a port that answers open, a port without a listener refused, and an unknown name unknown", async () => {
  const { port, close } = await listen(createServer((socket) => socket.end()));
  expect(await tryPort("127.0.0.1", port, "open")).toBe("open");
  await close();
  expect(await tryPort("127.0.0.1", port, "closed")).toBe("refused");
  expect(await tryPort("no-such-host.invalid", 35995, "closed")).toBe("unknown");
});

// A firewall that rejects answers with an ICMP that says so.
test.each([
  ["ECONNREFUSED", "refused"],
  ["EHOSTUNREACH", "filtered"],
  ["EACCES", "filtered"],
  ["ETIMEDOUT", "filtered"],
  ["ENETUNREACH", "unknown"],
  ["ENOTFOUND", "unknown"],
  [undefined, "unknown"],
])("%s: %s", (code, seen) => {
  expect(parsePortState(code)).toBe(seen);
});
