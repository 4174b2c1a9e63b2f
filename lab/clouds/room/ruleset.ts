import type { InboundRule } from "../machineRoom";

const table = "inet cloud";

/**
 * Formats the input of `nft -f -` that replaces a machine's firewall in one transaction. Undefined rules remove the
 * firewall. nft refuses an invalid rule.
 */
export function ruleset(rules: readonly InboundRule[] | undefined): string {
  const gone = `table ${table} {}\ndelete table ${table}\n`;
  if (!rules) return gone;
  const lines = [
    "type filter hook input priority filter; policy drop;",
    'iifname "lo" accept',
    "ct state established,related accept",
    // Without these, IPv6 neighbors cannot find each other.
    "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert } accept",
    ...rules.flatMap(({ protocol, ports, sources }) =>
      sources.map((from) => `${from.includes(":") ? "ip6" : "ip"} saddr ${from} ${protocol} dport ${ports} accept`),
    ),
  ];
  return `${gone}table ${table} {\n  chain input {\n${lines.map((line) => `    ${line}\n`).join("")}  }\n}\n`;
}
