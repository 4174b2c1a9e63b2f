import { ApiError } from "./apiError";
import type { Cloud } from "./cloud";
import { firewallsOf } from "./firewall";
import type { Image } from "./images";
import type { Labels } from "./labelSelector";
import type { Place } from "./places";
import { type Plan, traffic } from "./plans";
import { reverseName } from "./primaryIps";

/** A server of the project. */
export interface Server {
  readonly id: number;
  readonly created: string;
  readonly place: Place;
  readonly image: Image;
  /** Its name in the machine room. */
  readonly machine: string;
  name: string;
  labels: Labels;
  status: "initializing" | "starting" | "running" | "stopping" | "off" | "deleting";
  plan: Plan & { readonly deprecation: null | { readonly announced: string; readonly unavailable_after: string } };
  diskGb: number;
  protection: { readonly delete: boolean; readonly rebuild: boolean };
  backupWindow: string | null;
  /** Whether it was seen up since it was switched on last: only then is a silent machine one that went off. */
  seenUp: boolean;
  /** There is no machine, or none that lives: what the API says is all there is. */
  dead: boolean;
}

/** A server as the API answers it. */
export function serverJson(cloud: Cloud, server: Server) {
  const { included } = traffic(server.place.name);
  return {
    id: server.id,
    name: server.name,
    status: server.status,
    created: server.created,
    public_net: publicNet(cloud, server),
    private_net: [],
    server_type: cloud.catalogue.planJson(server.plan),
    location: server.place,
    image: server.image,
    iso: null,
    rescue_enabled: false,
    locked: cloud.actions.isBusy({ id: server.id, type: "server" }),
    backup_window: server.backupWindow,
    outgoing_traffic: 0,
    ingoing_traffic: 0,
    included_traffic: included,
    protection: server.protection,
    labels: server.labels,
    volumes: [],
    load_balancers: [],
    primary_disk_size: server.diskGb,
    placement_group: null,
  };
}

function publicNet(cloud: Cloud, server: Server): object {
  const addresses = [...cloud.primaryIps.values()].filter(({ assignee_id }) => assignee_id === server.id);
  const ipv4 = addresses.find(({ type }) => type === "ipv4");
  const ipv6 = addresses.find(({ type }) => type === "ipv6");
  return {
    ipv4: ipv4 ? { id: ipv4.id, ip: ipv4.ip, blocked: false, dns_ptr: reverseName(ipv4.ip) } : null,
    ipv6: ipv6 ? { id: ipv6.id, ip: ipv6.ip, blocked: false, dns_ptr: [] } : null,
    floating_ips: [],
    firewalls: firewallsOf(cloud, server).map(({ id }) => ({
      id,
      status: cloud.actions.isBusy({ id, type: "firewall" }) ? "pending" : "applied",
    })),
  };
}

/** Notices a machine that switched itself off, or on again. */
export async function look(cloud: Cloud, server: Server): Promise<void> {
  const isSettled = server.status === "running" || server.status === "off";
  if (server.dead || !isSettled || cloud.actions.isBusy({ id: server.id, type: "server" })) return;
  const isUp = await cloud.room.isRunning(server.machine);
  if (isUp) server.seenUp = true;
  if (isUp || server.seenUp) server.status = isUp ? "running" : "off";
}

/** Another action is at work on the server: the API makes the caller wait. */
export function refuseBusy(cloud: Cloud, server: Server): void {
  if (cloud.actions.isBusy({ id: server.id, type: "server" })) {
    throw new ApiError(423, "locked", "server is locked, another action is running");
  }
}
