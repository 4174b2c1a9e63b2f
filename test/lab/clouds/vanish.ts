import type { Hetzner } from "../../../lab/clouds/hetzner";

/** Deletes all servers of a project as in its console, protected or not. */
export function vanish({ cloud }: Hetzner): void {
  cloud.servers.clear();
  for (const firewall of cloud.firewalls.values()) firewall.appliedTo = [];
}
