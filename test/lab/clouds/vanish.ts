import type { Hetzner } from "../../../lab/clouds/hetzner";

/** All servers of a project are deleted in its console, protected or not. */
export function vanish({ cloud }: Hetzner): void {
  cloud.servers.clear();
  for (const firewall of cloud.firewalls.values()) firewall.appliedTo = [];
}
