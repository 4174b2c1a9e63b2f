import { isIP } from "node:net";
import type { InboundRule } from "../machineRoom";
import type { Cloud, Droplet } from "./cloud";

/** Returns the inbound rules of all firewalls of a Droplet, or undefined if it has none. */
export function rulesOf(cloud: Cloud, droplet: Droplet): InboundRule[] | undefined {
  const firewalls = [...cloud.firewalls.values()].filter(({ tags }) => tags.some((tag) => droplet.tags.has(tag)));
  if (firewalls.length === 0) return undefined;
  return firewalls.flatMap(({ inbound_rules }) =>
    inbound_rules.map(({ protocol, ports, sources }) => ({
      protocol,
      ...(protocol === "icmp" ? {} : { ports: ports === "0" ? "1-65535" : ports }),
      // A single address becomes a network of one address.
      sources: sources.addresses.map((at) => (at.includes("/") ? at : `${at}/${isIP(at) === 6 ? 128 : 32}`)),
    })),
  );
}

/** Applies the current firewalls and tags to every machine. */
export async function applyFirewalls(cloud: Cloud): Promise<void> {
  for (const droplet of cloud.droplets.values()) {
    if (droplet.gone || droplet.address === undefined) continue;
    const rules = rulesOf(cloud, droplet);
    if (JSON.stringify(rules) === droplet.rules) continue;
    await cloud.room.setFirewall(droplet.machine, rules);
    droplet.rules = JSON.stringify(rules);
  }
}
