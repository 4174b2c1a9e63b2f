import type { InboundRule } from "../machineRoom";
import type { Cloud } from "./cloud";
import type { Firewall, Server } from "./resources";

/** Returns the firewalls that apply to a server. */
export function firewallsOf(cloud: Cloud, server: Server): Firewall[] {
  return [...cloud.firewalls.values()].filter(({ appliedTo }) => appliedTo.some((at) => at.server.id === server.id));
}

/** Returns a server's inbound rules, or undefined if no firewall applies to it. */
export function inboundRulesOf(cloud: Cloud, server: Server): InboundRule[] | undefined {
  const firewalls = firewallsOf(cloud, server);
  if (firewalls.length === 0) return undefined;
  return firewalls
    .flatMap(({ rules }) => rules.filter(({ direction }) => direction === "in"))
    .map(({ protocol, port, source_ips: sources }) => ({ protocol, ...(port ? { ports: port } : {}), sources }));
}

/** Returns a firewall in the API's form. */
export function firewallJson({ appliedTo, ...firewall }: Firewall) {
  return { ...firewall, applied_to: appliedTo };
}
