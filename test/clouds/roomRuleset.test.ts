import { describe, expect, test } from "vitest";
import type { InboundRule } from "../../lab/clouds/machineRoom";
import { ruleset } from "../../lab/clouds/room/ruleset";

/** Returns the accepting lines that these rules add to a firewall. */
function accepted(rules: readonly InboundRule[]): string[] {
  const lines = ruleset(rules).split("\n");
  return lines.map((line) => line.trim()).filter((line) => /^ip6? saddr/.test(line));
}

describe("a firewall as nft reads it", () => {
  test("applies a rule to each of its sources, of both families", () => {
    expect(
      accepted([
        { protocol: "tcp", ports: "22", sources: ["10.77.0.1/32", "2001:db8::/64"] },
        { protocol: "udp", ports: "8000-8010", sources: ["0.0.0.0/0", "::/0"] },
        { protocol: "icmp", sources: ["192.0.2.1", "::/0"] },
      ]),
    ).toEqual([
      "ip saddr 10.77.0.1/32 tcp dport 22 accept",
      "ip6 saddr 2001:db8::/64 tcp dport 22 accept",
      "ip saddr 0.0.0.0/0 udp dport 8000-8010 accept",
      "ip6 saddr ::/0 udp dport 8000-8010 accept",
      "ip saddr 192.0.2.1 meta l4proto icmp accept",
      "ip6 saddr ::/0 meta l4proto ipv6-icmp accept",
    ]);
  });

  test("admits nobody by a rule without sources", () => {
    expect(accepted([{ protocol: "tcp", ports: "22", sources: [] }])).toEqual([]);
  });

  test.each([undefined, "", "0", "22; accept", "65536", "8010-8000", "22,23", "any"])("refuses ports %j", (ports) => {
    const rule = { protocol: "tcp", sources: ["::/0"], ...(ports === undefined ? {} : { ports }) } as const;
    expect(() => ruleset([rule])).toThrow(/ports are 22 or 8000-8010, not/);
  });

  test.each(["", "10.0.0.0/33", "::/129", "10.0.0.0/8 accept", "10.0.0.0/8/8", "10.0.0.0/", "example.org"])(
    "refuses source %j",
    (source) => {
      expect(() => ruleset([{ protocol: "icmp", sources: [source] }])).toThrow(/a firewall's source is a network/);
    },
  );
});
