import { z } from "zod";
import { ApiError } from "./apiError";
import { type Cloud, checkLabels, found } from "./cloud";
import { created, noContent, ok, type Route } from "./http";
import type { Labels } from "./labelSelector";
import { listing } from "./listing";
import type { Place } from "./places";

/** A public address. Only those that a server is made with exist here: none can be ordered alone. */
export interface PrimaryIp {
  readonly id: number;
  readonly ip: string;
  readonly name: string;
  readonly type: "ipv4" | "ipv6";
  readonly labels: Labels;
  readonly protection: { readonly delete: boolean };
  readonly dns_ptr: readonly { readonly ip: string; readonly dns_ptr: string }[];
  readonly assignee_id: number | null;
  /** `unassigned` since August 2026. */
  readonly assignee_type: "server" | "unassigned";
  readonly auto_delete: boolean;
  readonly blocked: boolean;
  readonly created: string;
  readonly location: Place;
}

const updateSchema = z.object({
  name: z.string().min(1).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  auto_delete: z.boolean().optional(),
});

export function reverseName(ip: string): string {
  return `static.${ip.split(".").reverse().join(".")}.clients.your-server.de`;
}

/** An address that comes and goes with its server. */
export function newPrimaryIp(
  cloud: Cloud,
  server: number,
  type: PrimaryIp["type"],
  ip: string,
  location: Place,
): PrimaryIp {
  const id = cloud.newId();
  const made: PrimaryIp = {
    id,
    ip,
    name: `primary_ip-${id}`,
    type,
    labels: {},
    protection: { delete: false },
    dns_ptr: type === "ipv4" ? [{ ip, dns_ptr: reverseName(ip) }] : [],
    assignee_id: server,
    assignee_type: "server",
    auto_delete: true,
    blocked: false,
    created: cloud.clock.stamp(),
    location,
  };
  cloud.primaryIps.set(id, made);
  return made;
}

/** Lets go the addresses of a server that is deleted. */
export function releasePrimaryIps(cloud: Cloud, server: number): void {
  for (const ip of [...cloud.primaryIps.values()].filter(({ assignee_id }) => assignee_id === server)) {
    if (ip.auto_delete) cloud.primaryIps.delete(ip.id);
    else cloud.primaryIps.set(ip.id, { ...ip, assignee_id: null, assignee_type: "unassigned" });
  }
}

export function primaryIpRoutes(cloud: Cloud): Route[] {
  const { primaryIps } = cloud;
  return [
    [
      "GET",
      "/primary_ips",
      ({ query }) => {
        const ip = query.get("ip");
        return listing(
          "primary_ips",
          [...primaryIps.values()].filter((one) => ip === null || one.ip === ip),
          query,
        );
      },
    ],
    ["GET", "/primary_ips/:id", ({ params }) => ok({ primary_ip: found(primaryIps, params.id, "Primary IP") })],
    [
      "POST",
      "/primary_ips",
      () => {
        throw new ApiError(422, "unsupported_error", "this lab's cloud has no Primary IPs without a server");
      },
    ],
    [
      "PUT",
      "/primary_ips/:id",
      ({ params, body }) => {
        const ip = found(primaryIps, params.id, "Primary IP");
        const given = updateSchema.parse(body);
        const changed = {
          ...ip,
          name: given.name ?? ip.name,
          labels: checkLabels(given.labels ?? ip.labels),
          auto_delete: given.auto_delete ?? ip.auto_delete,
        };
        primaryIps.set(ip.id, changed);
        return ok({ primary_ip: changed });
      },
    ],
    [
      "POST",
      "/primary_ips/:id/actions/change_protection",
      ({ params, body }) => {
        const ip = found(primaryIps, params.id, "Primary IP");
        const protection = z.object({ delete: z.boolean() }).parse(body);
        primaryIps.set(ip.id, { ...ip, protection });
        return created({ action: cloud.actions.start("change_protection", [{ id: ip.id, type: "primary_ip" }]) });
      },
    ],
    [
      "DELETE",
      "/primary_ips/:id",
      ({ params }) => {
        const ip = found(primaryIps, params.id, "Primary IP");
        if (ip.protection.delete) throw new ApiError(423, "protected", "Primary IP is delete protected");
        if (ip.assignee_id !== null) throw new ApiError(422, "resource_in_use", "Primary IP is assigned to a server");
        primaryIps.delete(ip.id);
        return noContent;
      },
    ],
  ];
}
