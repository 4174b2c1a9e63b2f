import { isIP } from "node:net";
import type { InboundRule } from "../machineRoom";
import type { Cloud, Droplet, Firewall, Peers } from "./cloud";

const ALL_PORTS = "1-65535";

/** Whether a firewall is meant for a Droplet. */
export function appliesTo(firewall: Firewall, droplet: Droplet): boolean {
  return firewall.droplet_ids.includes(droplet.id) || firewall.tags.some((tag) => droplet.tags.has(tag));
}

function firewallsOf(cloud: Cloud, droplet: Droplet): Firewall[] {
  return [...cloud.firewalls.values()].filter((firewall) => appliesTo(firewall, droplet));
}

/** What all its firewalls together let in to a Droplet; undefined where it has none. */
export function rulesOf(cloud: Cloud, droplet: Droplet): InboundRule[] | undefined {
  const firewalls = firewallsOf(cloud, droplet);
  if (firewalls.length === 0) return undefined;
  return firewalls.flatMap(({ inbound_rules }) =>
    inbound_rules.map(({ protocol, ports, sources = {} }) => ({
      protocol,
      ...(protocol === "icmp" ? {} : { ports: ports === "0" ? ALL_PORTS : ports }),
      sources: networksOf(cloud, sources),
    })),
  );
}

/** A Droplet behind firewalls without an outbound rule reaches nobody; the machine room cannot play that. */
export function reachesOut(cloud: Cloud, droplet: Droplet): boolean {
  const firewalls = firewallsOf(cloud, droplet);
  return firewalls.length === 0 || firewalls.some(({ outbound_rules }) => outbound_rules.length > 0);
}

function networksOf(cloud: Cloud, { addresses = [], tags = [], droplet_ids = [] }: Peers): string[] {
  const droplets = [...cloud.droplets.values()].filter(
    (droplet) => droplet_ids.includes(droplet.id) || tags.some((tag) => droplet.tags.has(tag)),
  );
  const theirs = droplets.flatMap(({ address, privateAddress }) => [...(address ? [address] : []), privateAddress]);
  return [...addresses, ...theirs].map(asNetwork);
}

/** One address is a network of one. */
export function asNetwork(address: string): string {
  return address.includes("/") ? address : `${address}/${isIP(address) === 6 ? 128 : 32}`;
}

/** Brings every machine's rules to what firewalls and tags say now. */
export async function applyFirewalls(cloud: Cloud): Promise<void> {
  for (const droplet of cloud.droplets.values()) {
    if (droplet.gone || droplet.address === undefined) continue;
    const rules = rulesOf(cloud, droplet);
    if (JSON.stringify(rules) === droplet.rules) continue;
    await cloud.room.setFirewall(droplet.machine, rules);
    droplet.rules = JSON.stringify(rules);
  }
}
