import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Answer, ApiError, type ApiRequest, bodyAs, notFound, page, type Route, unprocessable } from "./api";
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

function settingsOf(cloud: Cloud, request: ApiRequest, own?: Firewall): Omit<Firewall, "id"> {
  const { name, inbound_rules, outbound_rules, tags } = bodyAs(schema, request);
  if ([...cloud.firewalls.values()].some((other) => other.name === name && other.id !== own?.id))
    throw new ApiError(409, "duplicate name");
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

function create(cloud: Cloud, request: ApiRequest): Answer {
  const firewall = { id: randomUUID(), ...settingsOf(cloud, request) };
  cloud.firewalls.set(firewall.id, firewall);
  return { status: 202, body: { firewall: bodyOf(firewall) } };
}

function update(cloud: Cloud, request: ApiRequest): Answer {
  const firewall = find(cloud, request);
  Object.assign(firewall, settingsOf(cloud, request, firewall));
  return { status: 200, body: { firewall: bodyOf(firewall) } };
}

function remove(cloud: Cloud, request: ApiRequest): Answer {
  cloud.firewalls.delete(find(cloud, request).id);
  return { status: 204 };
}

export const firewallRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/firewalls",
    answer: (cloud, request) => page(request, "firewalls", [...cloud.firewalls.values()].map(bodyOf)),
  },
  { method: "POST", path: "/v2/firewalls", answer: create },
  {
    method: "GET",
    path: "/v2/firewalls/:id",
    answer: (cloud, request) => ({ status: 200, body: { firewall: bodyOf(find(cloud, request)) } }),
  },
  { method: "PUT", path: "/v2/firewalls/:id", answer: update },
  { method: "DELETE", path: "/v2/firewalls/:id", answer: remove },
];
