import { z } from "zod";
import type { InboundRule } from "../machineRoom";
import type { Cloud } from "./cloud";
import type { Labels } from "./listing";
import type { Server } from "./server";

/** What a firewall is applied to. */
export const targetSchema = z.object({ type: z.literal("server"), server: z.object({ id: z.int() }) });
export type Target = z.infer<typeof targetSchema>;

/** The rules of a firewall, as the API takes them; those for the way out are kept and not carried out. */
export const rulesSchema = z
  .array(
    z.object({
      direction: z.enum(["in", "out"]),
      protocol: z.enum(["tcp", "udp", "icmp"]),
      port: z.string().nullish(),
      source_ips: z.array(z.string()).default([]),
      destination_ips: z.array(z.string()).default([]),
    }),
  )
  .default([]);

/** A set of rules and what it is applied to. */
export interface Firewall {
  readonly id: number;
  name: string;
  labels: Labels;
  rules: z.infer<typeof rulesSchema>;
  appliedTo: readonly Target[];
}

/** Returns the firewalls that a server stands behind. */
export function firewallsOf(cloud: Cloud, server: Server): Firewall[] {
  return [...cloud.firewalls.values()].filter(({ appliedTo }) => appliedTo.some((at) => at.server.id === server.id));
}

/** Returns what lets something in to a server; undefined where it stands behind no firewall. */
export function inboundRulesOf(cloud: Cloud, server: Server): InboundRule[] | undefined {
  const firewalls = firewallsOf(cloud, server);
  if (firewalls.length === 0) return undefined;
  return firewalls
    .flatMap(({ rules }) => rules.filter(({ direction }) => direction === "in"))
    .map(({ protocol, port, source_ips: sources }) => ({ protocol, ...(port ? { ports: port } : {}), sources }));
}

/** A firewall as the API answers it. */
export function firewallJson({ appliedTo, ...firewall }: Firewall) {
  return { ...firewall, applied_to: appliedTo };
}
