import { isIP } from "node:net";
import { z } from "zod";
import type { InboundRule } from "../machineRoom";

const MOST_RULES = 50;
const LAST_PORT = 65_535;

const ruleSchema = z
  .object({
    direction: z.enum(["in", "out"]),
    protocol: z.enum(["tcp", "udp", "icmp", "esp", "gre"]),
    port: z.string().nullish(),
    source_ips: z.array(z.string().refine(isNetwork, "is not a network")).default([]),
    destination_ips: z.array(z.string().refine(isNetwork, "is not a network")).default([]),
    description: z.string().max(255).nullish(),
  })
  .refine(({ protocol, port }) => (port != null) === ["tcp", "udp"].includes(protocol), {
    path: ["port"],
    message: "is needed for tcp and udp, and for nothing else",
  })
  .refine(({ port }) => port == null || isPort(port), { path: ["port"], message: "is not a port nor a range of them" })
  .refine(({ direction, ...ips }) => ips[direction === "in" ? "source_ips" : "destination_ips"].length > 0, {
    path: ["source_ips"],
    message: "must not be empty",
  })
  .transform((rule) => ({ ...rule, port: rule.port ?? null, description: rule.description ?? null }));
/** The rules of a firewall, as the API takes them. */
export const rulesSchema = z.array(ruleSchema).max(MOST_RULES).default([]);

/** One rule, as the API answers it. */
export type Rule = z.infer<typeof rulesSchema>[number];

/** What rules let in. Those for the way out are kept by the API and not carried out here. */
export function inboundRules(rules: readonly Rule[]): InboundRule[] {
  return rules.flatMap(({ direction, protocol, port, source_ips: sources }) => {
    if (direction === "out" || protocol === "esp" || protocol === "gre") return [];
    if (port === null) return [{ protocol, sources }];
    return [{ protocol, ports: port === "any" ? `1-${LAST_PORT}` : port, sources }];
  });
}

function isNetwork(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0 || !/^\d+$/.test(bits)) return false;
  return Number(bits) <= (family === 4 ? 32 : 128) && (family === 6 || hostBits(address, Number(bits)) === 0);
}

function hostBits(address: string, bits: number): number {
  const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  return number % 2 ** (32 - bits);
}

function isPort(text: string): boolean {
  if (text === "any") return true;
  const [from = "", to = from, ...more] = text.split("-");
  const isOne = (port: string) => /^[1-9]\d{0,4}$/.test(port) && Number(port) <= LAST_PORT;
  return more.length === 0 && isOne(from) && isOne(to) && Number(from) <= Number(to);
}
