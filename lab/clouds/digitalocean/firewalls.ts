import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type ApiRequest, noContent, ok, type Route } from "../api/http";
import { listing, notFound, unprocessable, usualError } from "./answers";
import type { Cloud, Firewall } from "./cloud";

const peers = z.object({ addresses: z.array(z.string()).min(1) });
const rule = { protocol: z.enum(["tcp", "udp", "icmp"]), ports: z.union([z.string(), z.number()]).nullish() };
const schema = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/i),
  inbound_rules: z.array(z.object({ ...rule, sources: peers })).nullish(),
  outbound_rules: z.array(z.object({ ...rule, destinations: peers })).nullish(),
  tags: z.array(z.string()).nullish(),
});

// The API returns "0" for all ports, and also for icmp, which has none.
function portsOf({ protocol, ports }: { protocol: string; ports?: string | number | null | undefined }): string {
  const text = String(ports ?? "");
  if (protocol === "icmp" || ["0", "all", "1-65535"].includes(text)) return "0";
  if (/^\d+(-\d+)?$/.test(text)) return text;
  throw unprocessable("invalid port range");
}

function settingsOf(cloud: Cloud, body: unknown, own?: Firewall): Omit<Firewall, "id"> {
  const { name, inbound_rules, outbound_rules, tags } = schema.parse(body);
  if ([...cloud.firewalls.values()].some((other) => other.name === name && other.id !== own?.id))
    throw usualError(409, "duplicate name");
  return {
    name,
    inbound_rules: (inbound_rules ?? []).map((each) => ({ ...each, ports: portsOf(each) })),
    outbound_rules: (outbound_rules ?? []).map((each) => ({ ...each, ports: portsOf(each) })),
    tags: (tags ?? []).map((tag) => cloud.tag(tag)),
  };
}

function find(cloud: Cloud, { params }: ApiRequest): Firewall {
  const found = cloud.firewalls.get(params.id ?? "");
  if (!found) throw notFound();
  return found;
}

const bodyOf = (firewall: Firewall) => ({ ...firewall, droplet_ids: [], pending_changes: [], status: "succeeded" });

export function firewallRoutes(cloud: Cloud): Route[] {
  return [
    ["GET", "/firewalls", () => listing("firewalls", [...cloud.firewalls.values()].map(bodyOf))],
    [
      "POST",
      "/firewalls",
      ({ body }) => {
        const firewall = { id: randomUUID(), ...settingsOf(cloud, body) };
        cloud.firewalls.set(firewall.id, firewall);
        return { status: 202, body: { firewall: bodyOf(firewall) } };
      },
    ],
    ["GET", "/firewalls/:id", (request) => ok({ firewall: bodyOf(find(cloud, request)) })],
    [
      "PUT",
      "/firewalls/:id",
      (request) => {
        const firewall = find(cloud, request);
        Object.assign(firewall, settingsOf(cloud, request.body, firewall));
        return ok({ firewall: bodyOf(firewall) });
      },
    ],
    [
      "DELETE",
      "/firewalls/:id",
      (request) => {
        cloud.firewalls.delete(find(cloud, request).id);
        return noContent;
      },
    ],
  ];
}
