import { ApiError } from "../api/http";
import { findPlace, planJson } from "./catalogue";
import type { Cloud } from "./cloud";
import { firewallsOf } from "./firewall";
import type { Server } from "./resources";

/** Returns a server in the API's form. */
export function serverJson(cloud: Cloud, server: Server) {
  const { id, name, status, labels, protection, plan, place, image, address, backupWindow } = server;
  const firewalls = firewallsOf(cloud, server).map((each) => ({
    id: each.id,
    status: cloud.actions.isBusy({ id: each.id, type: "firewall" }) ? "pending" : "applied",
  }));
  return {
    id,
    name,
    status,
    labels,
    protection,
    image,
    backup_window: backupWindow,
    primary_disk_size: plan.disk,
    public_net: { ipv4: address ? { id, ip: address } : null, ipv6: null, floating_ips: [], firewalls },
    server_type: planJson(plan),
    location: findPlace(place),
    locked: cloud.actions.isBusy({ id, type: "server" }),
  };
}

/** Updates the status of a machine that switched itself off or on. */
export async function look(cloud: Cloud, server: Server): Promise<void> {
  const isSettled = server.status === "running" || server.status === "off";
  if (server.dead || !isSettled || cloud.actions.isBusy({ id: server.id, type: "server" })) return;
  const isUp = await cloud.room.isRunning(server.machine);
  if (isUp) server.seenUp = true;
  if (isUp || server.seenUp) server.status = isUp ? "running" : "off";
}

/** Throws if another action works on the server: the API lets the caller wait. */
export function refuseBusy(cloud: Cloud, server: Server): void {
  if (cloud.actions.isBusy({ id: server.id, type: "server" })) {
    throw new ApiError(423, "locked", "server is locked, another action is running");
  }
}
