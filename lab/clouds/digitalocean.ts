import { isIP } from "node:net";
import {
  Account,
  type AccountOptions,
  type Action,
  deletion,
  type Firewall,
  fingerprintOf,
  found,
  type Key,
  type Server,
  writeNow,
} from "./account.ts";
import { ApiError, createApi, created, noContent, notFound, ok, type Routes } from "./api.ts";
import { images, regions, sizes } from "./digitaloceanOffers.ts";

const usualErrors = {
  401: ["Unauthorized", "Unable to authenticate you"],
  403: ["Forbidden", "You are not authorized to perform this operation"],
  404: ["not_found", "The resource you were accessing could not be found."],
  409: ["conflict", "Conflict"],
  422: ["unprocessable_entity", "Unprocessable Entity"],
  503: ["server_error", "Service Unavailable"],
} as const;
const unprocessable = (message: string) => new ApiError(422, "unprocessable_entity", message);

/** Creates DigitalOcean's API v2 as of late 2026, for one account. */
export function createDigitalOcean(options: AccountOptions) {
  const account = new Account(options, "do");
  return createApi({
    version: "/v2",
    tokens: options.tokens,
    account,
    routes: {
      "GET /regions": () => listing("regions", regions),
      "GET /sizes": () => listing("sizes", sizes),
      "GET /images": () => listing("images", images),
      ...keyRoutes(account),
      ...tagRoutes(account),
      ...firewallRoutes(account),
      ...dropletRoutes(account),
    },
    usualErrors,
    errorBody: (id, message) => ({ id, message }),
  });
}

/** Answers with a list, which fits on its first page. */
const listing = (key: string, items: readonly unknown[]) =>
  ok({ [key]: items, links: {}, meta: { total: items.length } });

function keyRoutes(account: Account): Routes {
  const json = (key: Key) => ({
    id: key.id,
    name: key.name,
    public_key: key.publicKey,
    fingerprint: fingerprintOf(key),
  });
  return {
    "GET /account/keys": () => listing("ssh_keys", [...account.keys.values()].map(json)),
    "POST /account/keys": ({ body }) => {
      const { name, public_key } = body as { name: string; public_key: string };
      return created({ ssh_key: json(account.addKey(name, public_key)) });
    },
    "GET /account/keys/:id": ({ params }) => ok({ ssh_key: json(found(account.keys, params.id)) }),
    "DELETE /account/keys/:id": deletion(account.keys),
  };
}

function tagRoutes({ tags, servers }: Account): Routes {
  const one = (name = "") => {
    if (!tags.has(name)) throw notFound();
    const count = [...servers.values()].filter(({ labels }) => name in labels).length;
    const none = { count: 0 };
    const others = { images: none, volumes: none, volume_snapshots: none, databases: none };
    return { name, resources: { count, droplets: { count }, ...others } };
  };
  return {
    "GET /tags": () => listing("tags", [...tags].map(one)),
    "POST /tags": ({ body }) => {
      const { name } = body as { name: string };
      tags.add(name);
      return created({ tag: one(name) });
    },
    "GET /tags/:tag": ({ params }) => ok({ tag: one(params.tag) }),
    "DELETE /tags/:tag": ({ params }) => {
      const { name } = one(params.tag);
      tags.delete(name);
      // "Deleting a tag also untags all the resources that have previously been tagged" (the API's reference).
      for (const server of servers.values())
        Object.assign(server, {
          labels: Object.fromEntries(Object.entries(server.labels).filter(([label]) => label !== name)),
        });
      return noContent;
    },
  };
}

interface Rule {
  readonly protocol: "tcp" | "udp" | "icmp";
  readonly ports: string;
}

type InboundRule = Rule & {
  readonly protocol: "tcp" | "udp";
  readonly sources: { readonly addresses: readonly string[] };
};

interface FirewallBody {
  readonly name: string;
  readonly inbound_rules?: readonly InboundRule[];
  readonly outbound_rules?: readonly Rule[];
  readonly tags?: readonly string[];
}

function readFirewall({ name, inbound_rules = [], outbound_rules = [], tags = [] }: FirewallBody) {
  // The API returns "0" for all ports, and also for icmp, which has none.
  const shown = <T extends Rule>(rule: T) => ({ ...rule, ports: /^\d/.test(rule.ports) ? rule.ports : "0" });
  const network = (at: string) => (at.includes("/") ? at : `${at}/${isIP(at) === 6 ? 128 : 32}`);
  return {
    name,
    apiRules: { inbound_rules: inbound_rules.map(shown), outbound_rules: outbound_rules.map(shown), tags },
    rules: inbound_rules.map(({ protocol, ports, sources }) => ({
      protocol,
      ports,
      sources: sources.addresses.map(network),
    })),
    appliesTo: ({ labels }: Server) => tags.some((tag) => tag in labels),
  };
}

function firewallRoutes(account: Account): Routes {
  const { firewalls } = account;
  const json = ({ id, name, apiRules, created: created_at }: Firewall) => ({
    id: `${id}`,
    name,
    ...apiRules,
    status: "succeeded",
    created_at,
    droplet_ids: [],
    pending_changes: [],
  });
  return {
    "GET /firewalls": () => listing("firewalls", [...firewalls.values()].map(json)),
    "POST /firewalls": ({ body }) => {
      const firewall = { id: account.newId(), labels: {}, created: writeNow(), ...readFirewall(body as FirewallBody) };
      firewalls.set(firewall.id, firewall);
      return { status: 202, body: { firewall: json(firewall) } };
    },
    "GET /firewalls/:id": ({ params }) => ok({ firewall: json(found(firewalls, params.id)) }),
    "PUT /firewalls/:id": ({ params, body }) => {
      const firewall = Object.assign(found(firewalls, params.id), readFirewall(body as FirewallBody));
      return ok({ firewall: json(firewall) });
    },
    "DELETE /firewalls/:id": deletion(firewalls),
  };
}

/** Returns a Droplet in the API's form. */
function dropletJson(account: Account, droplet: Server) {
  const { id, name, status, plan, location, image, address, labels, created: created_at, backups } = droplet;
  const size = sizes.find(({ slug }) => slug === plan);
  const v4 = { ip_address: address, netmask: "255.255.240.0", gateway: "10.77.0.1", type: "public" };
  return {
    id,
    name,
    memory: size?.memory,
    vcpus: size?.vcpus,
    disk: size?.disk,
    disk_info: size?.disk_info,
    locked: account.isBusy(droplet),
    status: status === "running" ? "active" : status,
    kernel: null,
    created_at,
    features: backups ? ["backups"] : [],
    backup_ids: [],
    next_backup_window: null,
    snapshot_ids: [],
    image: images.find(({ slug }) => slug === image),
    volume_ids: [],
    size,
    size_slug: plan,
    networks: { v4: status !== "new" && address ? [v4] : [], v6: [] },
    region: regions.find(({ slug }) => slug === location),
    tags: Object.keys(labels),
    vpc_uuid: "760e09ef-dc84-11e8-981e-3cfdfeaae000",
  };
}

/** Returns an action in the API's form. */
function actionJson({ id, status, command: type, server, started: started_at, finished: completed_at }: Action) {
  return {
    id,
    status: { running: "in-progress", success: "completed", error: "errored" }[status],
    type,
    started_at,
    completed_at,
    resource_id: server?.id ?? null,
    resource_type: "droplet",
    region: regions.find(({ slug }) => slug === server?.location) ?? null,
    region_slug: server?.location ?? null,
  };
}

interface Order {
  readonly name: string;
  readonly region: string;
  readonly size: string;
  readonly image: string;
  readonly ssh_keys?: readonly number[] | null;
  readonly user_data?: string | null;
  readonly tags?: readonly string[] | null;
  readonly backups?: boolean;
  readonly backup_policy?: { readonly plan: "daily" | "weekly" };
}

async function order(account: Account, body: Order) {
  const { name, region: location, size: plan, image, ssh_keys, user_data } = body;
  const [region, size] = [regions.find(({ slug }) => slug === location), sizes.find(({ slug }) => slug === plan)];
  const isKnown = region && size && images.some(({ slug }) => slug === image);
  if (!isKnown) throw unprocessable("You specified an invalid region, size or image for Droplet creation.");
  if (!region.available) throw unprocessable("Region is not available");
  if (account.faults.strike("quota"))
    throw unprocessable("creating this/these droplet(s) will exceed your droplet limit");
  if (account.faults.strike("noCapacity", { location, shows: "create" }))
    throw unprocessable("Size is not available in this region.");
  const tags = body.tags ?? [];
  for (const tag of tags) account.tags.add(tag);
  const labels = Object.fromEntries(tags.map((tag) => [tag, ""]));
  const more = { sshKeys: ssh_keys ?? [], userData: user_data ?? "" };
  const { server } = await account.order(
    { name, plan, location, image, labels, backups: body.backups ? (body.backup_policy?.plan ?? "daily") : undefined },
    "create",
    more,
  );
  return { status: 202, body: { droplet: dropletJson(account, server) } };
}

function dropletRoutes(account: Account): Routes {
  const one = (id: string | undefined) => found(account.servers, id);
  return {
    "POST /droplets": ({ body }) => order(account, body as Order),
    "GET /droplets": ({ query }) => {
      const tag = query.get("tag_name");
      const wanted = [...account.servers.values()].filter(({ labels }) => tag === null || tag in labels);
      return listing(
        "droplets",
        wanted.map((droplet) => dropletJson(account, droplet)),
      );
    },
    "GET /droplets/:id": ({ params }) => ok({ droplet: dropletJson(account, one(params.id)) }),
    "DELETE /droplets/:id": ({ params }) => {
      if (!one(params.id).isLeaving) account.remove(one(params.id), "destroy");
      return noContent;
    },
    "GET /droplets/:id/actions": ({ params }) => listing("actions", account.actionsOf(one(params.id)).map(actionJson)),
    "POST /droplets/:id/actions": ({ params, body }) => {
      const { type } = body as { type: string };
      const droplet = one(params.id);
      if (account.isBusy(droplet)) throw unprocessable("Droplet already has a pending event.");
      if (type !== "power_off") throw unprocessable(`${type} is not a valid action.`);
      return created({ action: actionJson(account.powerOff(droplet, type)) });
    },
  };
}
