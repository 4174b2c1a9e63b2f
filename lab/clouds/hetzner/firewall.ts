import { z } from "zod";
import type { InboundRule } from "../machineRoom";
import { invalidInput } from "./apiError";
import type { Cloud } from "./cloud";
import { inboundRules, type Rule } from "./firewallRules";
import { type Labels, labelSelector } from "./labelSelector";
import type { Server } from "./server";

/** What a firewall is applied to, as the API takes it. */
export const targetSchema = z.union([
  z.object({ type: z.literal("server"), server: z.object({ id: z.int() }) }),
  z.object({ type: z.literal("label_selector"), label_selector: z.object({ selector: z.string().min(1) }) }),
]);
export type Target = z.infer<typeof targetSchema>;

/** A set of rules and what it is applied to. */
export interface Firewall {
  readonly id: number;
  readonly created: string;
  name: string;
  labels: Labels;
  rules: readonly Rule[];
  appliedTo: readonly Target[];
}

/** Which firewalls a server stands behind, directly or by its labels. */
export function firewallsOf(cloud: Cloud, server: Server): Firewall[] {
  return [...cloud.firewalls.values()].filter((firewall) =>
    firewall.appliedTo.some((target) => concerns(target, server)),
  );
}

/** What lets something in to a server; undefined where it stands behind no firewall. */
export function inboundRulesOf(cloud: Cloud, server: Server): InboundRule[] | undefined {
  const firewalls = firewallsOf(cloud, server);
  return firewalls.length === 0 ? undefined : inboundRules(firewalls.flatMap(({ rules }) => rules));
}

/** Tells the machine room about a server's rules: they stand before it, whether it boots or not. */
export async function applyFirewalls(cloud: Cloud, server: Server): Promise<void> {
  await cloud.room.setFirewall(server.machine, inboundRulesOf(cloud, server));
}

/** A firewall that a server is to be ordered with. */
export function orderedFirewall(cloud: Cloud, id: number): Firewall {
  const firewall = cloud.firewalls.get(id);
  if (!firewall) throw invalidInput("firewalls", `firewall ${id} not found`);
  return firewall;
}

function concerns(target: Target, server: Server): boolean {
  if (target.type === "server") return target.server.id === server.id;
  return labelSelector(target.label_selector.selector)(server.labels);
}

/** The servers that targets name or find now. */
export function serversOf(cloud: Cloud, targets: readonly Target[]): Server[] {
  return [...cloud.servers.values()].filter((server) => targets.some((target) => concerns(target, server)));
}

/** A firewall as the API answers it. */
export function firewallJson(cloud: Cloud, firewall: Firewall) {
  const { appliedTo, ...rest } = firewall;
  const applied_to = appliedTo.map((target) =>
    target.type === "server"
      ? target
      : {
          ...target,
          applied_to_resources: serversOf(cloud, [target]).map(({ id }) => ({ type: "server", server: { id } })),
        },
  );
  return { ...rest, applied_to };
}
