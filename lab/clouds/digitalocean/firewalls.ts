import { isIP } from "node:net";
import { z } from "zod";
import { type Answer, ApiError, type ApiRequest, bodyAs, notFound, page, type Route, unprocessable } from "./api";
import type { Cloud, Firewall, Peers, Rule } from "./cloud";
import { appliesTo } from "./firewallRules";
import { checkTag } from "./tags";

const peers = z.object({
  addresses: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  droplet_ids: z.array(z.number()).optional(),
  load_balancer_uids: z.array(z.string()).optional(),
  kubernetes_ids: z.array(z.string()).optional(),
});
const rule = {
  protocol: z.enum(["tcp", "udp", "icmp"]),
  ports: z.union([z.string(), z.number()]).nullish(),
  action: z.enum(["", "allow", "deny"]).nullish(),
};
const inbound = z.array(z.object({ ...rule, sources: peers })).nullish();
const outbound = z.array(z.object({ ...rule, destinations: peers })).nullish();
const schema = z.object({
  name: z.string(),
  inbound_rules: inbound,
  outbound_rules: outbound,
  droplet_ids: z.array(z.number()).nullish(),
  tags: z.array(z.string()).nullish(),
});
const changeSchema = schema.omit({ name: true });
type Change = z.infer<typeof changeSchema>;
type Given = NonNullable<Change["inbound_rules"]>[number] | NonNullable<Change["outbound_rules"]>[number];

function asRule(given: Given): Rule {
  const { protocol, ports, action, ...direction } = given;
  const theirs: Peers = "sources" in given ? given.sources : given.destinations;
  if (action === "deny") throw unprocessable("the lab serves no deny rules");
  if (Object.values(theirs).every((list) => (list ?? []).length === 0)) throw unprocessable("missing addresses");
  for (const address of theirs.addresses ?? []) {
    const [ip = "", bits] = address.split("/");
    const most = isIP(ip) === 6 ? 128 : 32;
    if (isIP(ip) === 0 || (bits !== undefined && !(Number(bits) <= most))) throw unprocessable("invalid address");
  }
  return { protocol, ports: portsOf(protocol, String(ports ?? "")), action: "allow", ...direction };
}

// All ports are told as "0", and so is icmp, which has none.
function portsOf(protocol: string, ports: string): string {
  if (protocol === "icmp") return "0";
  if (["0", "all", "1-65535"].includes(ports)) return "0";
  const [from = 0, to = from] = ports.split("-").map(Number);
  if (/^\d+(-\d+)?$/.test(ports) && from >= 1 && from <= to && to <= 65_535) return ports;
  throw unprocessable("invalid port range");
}

function settingsOf(cloud: Cloud, request: ApiRequest, own?: Firewall): Omit<Firewall, "id" | "created_at"> {
  const body = bodyAs(schema, request);
  if (!/^[a-z0-9][a-z0-9.-]*$/i.test(body.name)) throw unprocessable("invalid name: letters, digits, . and - only");
  if ([...cloud.firewalls.values()].some(({ id, name }) => name === body.name && id !== own?.id)) {
    throw new ApiError(409, "duplicate name");
  }
  const [inbound_rules, outbound_rules] = [body.inbound_rules ?? [], body.outbound_rules ?? []];
  if (inbound_rules.length + outbound_rules.length === 0) throw unprocessable("at least one rule is required");
  return {
    name: body.name,
    inbound_rules: inbound_rules.map(asRule),
    outbound_rules: outbound_rules.map(asRule),
    droplet_ids: known(cloud, body.droplet_ids ?? []),
    tags: (body.tags ?? []).map((tag) => tagOf(cloud, tag)),
    pending_changes: [],
  };
}

function known(cloud: Cloud, ids: readonly number[]): number[] {
  const unknown = ids.filter((id) => !cloud.droplets.has(id));
  if (unknown.length > 0) throw unprocessable(`droplet not found: ${unknown.join(", ")}`);
  return [...new Set(ids)];
}

function tagOf(cloud: Cloud, tag: string): string {
  checkTag(tag);
  return cloud.tag(tag);
}

function find(cloud: Cloud, { params }: ApiRequest): Firewall {
  const found = cloud.firewalls.get(params.id ?? "");
  if (!found) throw notFound();
  return found;
}

// The answer to a change tells what it is about to do; a moment later it is done.
function changing(cloud: Cloud, firewall: Firewall, status: number, removing = false): Answer {
  const droplets = [...cloud.droplets.values()].filter((droplet) => appliesTo(firewall, droplet));
  const changes = droplets.map(({ id }) => ({ droplet_id: id, removing, status: "waiting" as const }));
  return { status, body: { firewall: firewallBody({ ...firewall, pending_changes: changes }) } };
}

function firewallBody(firewall: Firewall): unknown {
  return { ...firewall, status: firewall.pending_changes.length > 0 ? "waiting" : "succeeded" };
}

function create(cloud: Cloud, request: ApiRequest): Answer {
  const settings = settingsOf(cloud, request);
  const firewall = { id: cloud.ids.uuid(), created_at: cloud.timestamp(), ...settings };
  cloud.firewalls.set(firewall.id, firewall);
  return changing(cloud, firewall, 202);
}

function update(cloud: Cloud, request: ApiRequest): Answer {
  const firewall = find(cloud, request);
  Object.assign(firewall, settingsOf(cloud, request, firewall));
  return changing(cloud, firewall, 200);
}

function remove(cloud: Cloud, request: ApiRequest): Answer {
  cloud.firewalls.delete(find(cloud, request).id);
  return { status: 204 };
}

/** `POST` adds and `DELETE` takes away members of one list of a firewall. */
function members(change: (cloud: Cloud, firewall: Firewall, given: Change, adding: boolean) => void) {
  return (cloud: Cloud, request: ApiRequest): Answer => {
    change(cloud, find(cloud, request), bodyAs(changeSchema, request), request.method === "POST");
    return { status: 204 };
  };
}

function changed<T>(list: readonly T[], given: readonly T[], adding: boolean): T[] {
  const rest = list.filter((item) => !given.some((one) => JSON.stringify(one) === JSON.stringify(item)));
  return adding ? [...rest, ...given] : rest;
}

const changeDroplets = members((cloud, firewall, { droplet_ids }, adding) => {
  const ids = adding ? known(cloud, droplet_ids ?? []) : (droplet_ids ?? []);
  firewall.droplet_ids = changed(firewall.droplet_ids, ids, adding);
});
const changeTags = members((cloud, firewall, { tags }, adding) => {
  const names = (tags ?? []).map((tag) => tagOf(cloud, tag));
  firewall.tags = changed(firewall.tags, names, adding);
});
const changeRules = members((_, firewall, { inbound_rules, outbound_rules }, adding) => {
  firewall.inbound_rules = changed(firewall.inbound_rules, (inbound_rules ?? []).map(asRule), adding);
  firewall.outbound_rules = changed(firewall.outbound_rules, (outbound_rules ?? []).map(asRule), adding);
});

const both = (path: string, answer: Route["answer"]): Route[] =>
  ["POST", "DELETE"].map((method) => ({ method, path: `/v2/firewalls/:id/${path}`, answer }));

export const firewallRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/firewalls",
    answer: (cloud, request) => page(request, "firewalls", [...cloud.firewalls.values()].map(firewallBody)),
  },
  { method: "POST", path: "/v2/firewalls", answer: create },
  {
    method: "GET",
    path: "/v2/firewalls/:id",
    answer: (cloud, request) => ({ status: 200, body: { firewall: firewallBody(find(cloud, request)) } }),
  },
  { method: "PUT", path: "/v2/firewalls/:id", answer: update },
  { method: "DELETE", path: "/v2/firewalls/:id", answer: remove },
  ...both("droplets", changeDroplets),
  ...both("tags", changeTags),
  ...both("rules", changeRules),
];
