import {
  Account,
  type AccountOptions,
  type Action,
  deletion,
  type Firewall,
  fingerprintOf,
  found,
  type Key,
  type Labels,
  type Server,
  writeNow,
} from "./account.ts";
import { ApiError, createApi, created, notFound, ok, type Routes } from "./api.ts";
import { images, locationJson, locations, pricing, serverTypes } from "./hetznerOffers.ts";

const tokenLength = 64;

const usualErrors = {
  401: ["unauthorized", "unable to authenticate"],
  403: ["forbidden", "insufficient permissions for this request"],
  404: ["not_found", "the requested resource was not found"],
  423: ["locked", "resource is locked by another action"],
  502: ["bad_gateway", "the request could not be answered by the API backend, please retry"],
  503: ["unavailable", "a service or product is currently not available"],
} as const;
const noCapacity = { code: "resource_unavailable", message: "error during placement" };

/** Creates Hetzner Cloud's API v1 as of late 2026, for one project. Each token has 64 characters. */
export function createHetzner(options: AccountOptions) {
  if (Object.keys(options.tokens).some((token) => token.length !== tokenLength))
    throw new Error(`a token of Hetzner has ${tokenLength} characters`);
  const account = new Account(options, "hz");
  return createApi({
    version: "/v1",
    tokens: options.tokens,
    account,
    routes: {
      "GET /pricing": () => ok({ pricing }),
      ...keyRoutes(account),
      ...firewallRoutes(account),
      ...serverRoutes(account),
      ...listRoutes(account),
    },
    usualErrors,
    errorBody: (code, message) => ({ error: { code, message, details: null } }),
  });
}

/** Returns an action in the API's form. */
function actionJson({ id, command, status, server, started, finished }: Action) {
  const resources = server ? [{ id: server.id, type: "server" }] : [];
  const progress = finished === null ? 0 : 100;
  return { id, command, status, progress, started, finished, resources, error: status === "error" ? noCapacity : null };
}

const keyJson = ({ publicKey, ...key }: Key) => ({
  ...key,
  public_key: publicKey,
  fingerprint: fingerprintOf({ publicKey, ...key }),
});

const firewallJson = ({ id, name, labels, created, apiRules: rules }: Firewall) => ({
  id,
  name,
  labels,
  created,
  rules,
  applied_to: [],
});

/** Returns a server in the API's form. */
function serverJson(account: Account, server: Server) {
  const { id, name, status, created, labels, isProtected, plan, location, image, address, backups } = server;
  const serverType = serverTypes.find((each) => each.name === plan);
  const firewalls = [...account.firewalls.values()].filter(({ appliesTo }) => appliesTo(server));
  return {
    id,
    name,
    status: status === "new" ? "initializing" : status,
    created,
    labels,
    protection: { delete: isProtected, rebuild: isProtected },
    image: images.find((each) => each.name === image),
    backup_window: backups ? "22-02" : null,
    public_net: {
      ipv4: address ? { id, ip: address, blocked: false, dns_ptr: `static.${address}.example` } : null,
      ipv6: null,
      floating_ips: [],
      firewalls: firewalls.map((each) => ({ id: each.id, status: "applied" })),
    },
    private_net: [],
    server_type: serverType,
    location: locationJson(location),
    locked: account.isBusy(server),
    included_traffic: 21_990_232_555_520,
    ingoing_traffic: null,
    outgoing_traffic: null,
    rescue_enabled: false,
    iso: null,
    volumes: [],
    primary_disk_size: serverType?.disk,
    placement_group: null,
    load_balancers: [],
  };
}

/** Lists, and single items by their number. A list fits on its first page. */
function listRoutes(account: Account): Routes {
  const lists: Readonly<Record<string, () => readonly { readonly id: number }[]>> = {
    server_types: () => serverTypes,
    images: () => images,
    ssh_keys: () => [...account.keys.values()].map(keyJson),
    firewalls: () => [...account.firewalls.values()].map(firewallJson),
    servers: () => [...account.servers.values()].map((server) => serverJson(account, server)),
    actions: () => account.actionsOf(undefined).map(actionJson),
  };
  const all = (kind = "") => lists[kind]?.() ?? [];
  return {
    "GET /:kind": ({ params: { kind = "" }, query }) => listing(kind, all(kind), query),
    "GET /:kind/:id": ({ params: { kind = "", id } }) => {
      const item = all(kind).find((each) => String(each.id) === id);
      if (!item) throw notFound();
      return ok({ [kind.slice(0, -1)]: item });
    },
    "GET /servers/:id/actions": ({ params, query }) => {
      const actions = account.actionsOf(found(account.servers, params.id));
      return listing("actions", actions.map(actionJson), query);
    },
  };
}

/** Answers with a list, filtered by labels and by the fields that the query names. */
function listing(key: string, all: readonly object[], query: URLSearchParams) {
  const labels = (query.get("label_selector") || undefined)?.split(",").map((label) => label.split("=")) ?? [];
  const isWanted = (item: Readonly<Record<string, unknown>> & { readonly labels?: Labels }) =>
    labels.every(([label = "", value]) => item.labels?.[label] === value) &&
    [...query.keys()].every((name) => !(name in item) || query.getAll(name).includes(String(item[name])));
  const wanted = all.filter((item) => isWanted({ ...item }));
  const pages = { page: 1, per_page: 50, previous_page: null, next_page: null, last_page: 1 };
  return ok({ [key]: wanted, meta: { pagination: { ...pages, total_entries: wanted.length } } });
}

function keyRoutes(account: Account): Routes {
  return {
    "POST /ssh_keys": ({ body }) => {
      const { name, public_key, labels } = body as { name: string; public_key: string; labels?: Labels };
      return created({ ssh_key: keyJson(account.addKey(name, public_key, labels)) });
    },
    "DELETE /ssh_keys/:id": deletion(account.keys),
  };
}

interface Rules {
  readonly rules?: readonly {
    readonly direction: "in" | "out";
    readonly protocol: "tcp" | "udp";
    readonly port: string;
    readonly source_ips?: string[];
    readonly destination_ips?: string[];
    readonly description?: string | null;
  }[];
}

function readRules({ rules = [] }: Rules): Pick<Firewall, "apiRules" | "rules"> {
  const inbound = rules.map(({ protocol, port: ports, source_ips: sources = [] }) => ({ protocol, ports, sources }));
  const apiRules = rules.map((rule) => ({ source_ips: [], destination_ips: [], description: null, ...rule }));
  return { apiRules, rules: inbound };
}

function firewallRoutes(account: Account): Routes {
  return {
    "POST /firewalls": ({ body }) => {
      const { name, labels = {}, ...rules } = body as Rules & { name: string; labels?: Labels };
      const firewall = {
        id: account.newId(),
        name,
        labels,
        created: writeNow(),
        ...readRules(rules),
        appliesTo: () => false,
      };
      account.firewalls.set(firewall.id, firewall);
      return created({ firewall: firewallJson(firewall), actions: [] });
    },
    "POST /firewalls/:id/actions/set_rules": ({ params, body }) => {
      Object.assign(found(account.firewalls, params.id), readRules(body as Rules));
      return created({ actions: [] });
    },
    "DELETE /firewalls/:id": deletion(account.firewalls),
  };
}

interface Order {
  readonly name: string;
  readonly server_type: string | number;
  readonly image: string | number;
  readonly location: string;
  readonly ssh_keys?: readonly number[];
  readonly user_data?: string;
  readonly labels?: Labels;
  readonly firewalls?: readonly { readonly firewall: number }[];
}

function serverRoutes(account: Account): Routes {
  const one = (id: string | undefined) => found(account.servers, id);
  /** Returns the server, if its name is free and no action works on it. */
  const free = (id: string | undefined) => {
    if (account.isBusy(one(id))) throw new ApiError(423, "locked", "server is locked, another action is running");
    return one(id);
  };
  const act = (action: Action) => created({ action: actionJson(action) });
  return {
    "POST /servers": ({ body }) => order(account, body as Order),
    "PUT /servers/:id": ({ params, body }) => {
      const { name } = body as { name: string };
      refuseTaken(account, name, one(params.id));
      one(params.id).name = name;
      return ok({ server: serverJson(account, one(params.id)) });
    },
    "DELETE /servers/:id": ({ params }) => {
      if (one(params.id).isProtected) throw new ApiError(423, "protected", "server deletion is protected");
      return ok({ action: actionJson(account.remove(free(params.id), "delete_server")) });
    },
    "POST /servers/:id/actions/poweroff": ({ params }) => act(account.powerOff(free(params.id), "stop_server")),
    "POST /servers/:id/actions/enable_backup": ({ params }) => {
      const server = free(params.id);
      const onSuccess = () => {
        server.backups = "daily";
      };
      return act(account.start("enable_backup", server, { onSuccess }));
    },
    "POST /servers/:id/actions/change_protection": ({ params, body }) => {
      const server = free(params.id);
      const wanted = body as { delete?: boolean; rebuild?: boolean };
      if (wanted.delete !== wanted.rebuild)
        throw new ApiError(422, "invalid_input", "delete and rebuild protection must be the same");
      const onSuccess = () => {
        server.isProtected = wanted.delete === true;
      };
      return act(account.start("change_protection", server, { onSuccess }));
    },
  };
}

function refuseTaken(account: Account, name: string, own?: Server): void {
  if ([...account.servers.values()].some((each) => each.name === name && each !== own))
    throw new ApiError(409, "uniqueness_error", "server name is already used");
}

async function order(account: Account, body: Order) {
  const { name, location, labels = {}, user_data: userData = "", ssh_keys: sshKeys = [] } = body;
  refuseTaken(account, name);
  // Clients send a name or a number.
  const named = <T extends { id: number; name: string }>(all: readonly T[], what: string, wanted: string | number) => {
    const item = all.find(({ id, name: own }) => wanted === own || wanted === id);
    if (!item) throw new ApiError(422, "invalid_input", `${what} not found`);
    return item;
  };
  const plan = named(serverTypes, "server type", body.server_type);
  if (!locations.includes(location)) throw new ApiError(422, "invalid_input", "location not found");
  if (account.faults.strike("quota")) throw new ApiError(403, "resource_limit_exceeded", "server limit exceeded");
  if (account.faults.strike("noCapacity", { location, shows: "create" }))
    throw new ApiError(412, noCapacity.code, noCapacity.message);
  const { server, action } = await account.order(
    { name, plan: plan.name, location, image: named(images, "image", body.image).name, labels, backups: undefined },
    "create_server",
    { sshKeys, userData, firewalls: body.firewalls?.map(({ firewall }) => firewall) ?? [] },
  );
  const answer = { server: serverJson(account, server), action: actionJson(action), next_actions: [] };
  return created({ ...answer, root_password: null });
}
