import { isIPv4, isIPv6 } from "node:net";
import type { InboundRule } from "../machineRoom";

const table = "inet cloud";

/**
 * Formats the input of `nft -f -` that replaces a machine's firewall in one transaction. Undefined rules remove the
 * firewall.
 * @throws on an invalid rule, so that no other text reaches nft
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
    ...rules.flatMap((rule) => rule.sources.map((source) => `${from(source)} ${what(rule, source)} accept`)),
  ];
  return `${gone}table ${table} {\n  chain input {\n${lines.map((line) => `    ${line}\n`).join("")}  }\n}\n`;
}

function from(source: string): string {
  const [address = "", length, ...more] = source.split("/");
  const bits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  const valid = bits > 0 && more.length === 0 && (length === undefined || (/^\d+$/.test(length) && +length <= bits));
  if (!valid) throw new Error(`a firewall's source is a network such as 10.0.0.0/8 or ::/0, not ${source}`);
  return `${bits === 32 ? "ip" : "ip6"} saddr ${source}`;
}

function what({ protocol, ports }: InboundRule, source: string): string {
  if (protocol === "icmp") return `meta l4proto ${source.includes(":") ? "ipv6-icmp" : "icmp"}`;
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(ports ?? "") ?? [];
  if (!first || +first < 1 || Number(last) > 65535 || Number(last) < +first)
    throw new Error(`a ${protocol} rule's ports are 22 or 8000-8010, not ${ports}`);
  return `${protocol} dport ${ports}`;
}
