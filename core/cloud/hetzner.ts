import { bareLine } from "../ssh/publicKey";
import { type Cloud, type CloudInventory, labelValue, type OrderFailure, type Owner, type ServerNow } from "./cloud";
import { type ApiOptions, CloudError, type CloudHttp, createHttp, endless, mostPages } from "./http";
import type { Offer } from "./plan";
import { mayWrite } from "./rights";

// https://docs.hetzner.cloud/reference/cloud, as of November 2026; /datacenters is gone since October.

interface Price {
  readonly location: string;
  readonly price_monthly: { readonly gross: string };
}

interface ServerType {
  readonly name: string;
  readonly cores: number;
  readonly memory: number;
  readonly disk: number;
  readonly architecture: string;
  readonly deprecated: boolean;
  readonly prices: readonly Price[];
  readonly locations?: readonly {
    readonly name: string;
    readonly available: boolean;
    readonly deprecation: object | null;
  }[];
}

interface Pricing {
  readonly currency: string;
  readonly primary_ips?: readonly { readonly type: string; readonly prices: readonly Price[] }[];
  readonly server_backup?: { readonly percentage: string };
}

interface Server {
  readonly id: number;
  readonly name: string;
  readonly server_type: ServerType;
  readonly location?: { readonly name: string } | null;
  readonly datacenter?: { readonly location: { readonly name: string } } | null;
  readonly image: { readonly name: string | null } | null;
  readonly public_net: { readonly ipv4: { readonly ip: string } | null };
  readonly protection: { readonly delete: boolean };
  readonly backup_window: string | null;
}

interface Action {
  readonly command: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
}

interface Labelled {
  readonly id: number;
  readonly labels: Readonly<Record<string, string>>;
}

export function hetznerLabels({ stack, pillar }: Owner): Record<"pillar-host-stack" | "pillar-host-pillar", string> {
  return { "pillar-host-stack": labelValue(stack), "pillar-host-pillar": labelValue(pillar) };
}

export function hetznerFailure(words: string): OrderFailure {
  if (
    /\b(resource_unavailable|placement_error)\b|unsupported location|\blocation\b.*\b(not found|disabled)\b/.test(words)
  )
    return "noRoom";
  if (/\bresource_limit_exceeded\b/.test(words)) return "quota";
  return /\b(unauthorized|forbidden|token_readonly)\b/.test(words) ? "rights" : "other";
}

export function createHetzner(options: Pick<ApiOptions, "token" | "sleep" | "say"> & { endpoint?: string }): Cloud {
  const http = createHttp({
    endpoint: "https://api.hetzner.cloud/v1",
    ...options,
    provider: "Hetzner",
    wordsOf: (body) => ({ code: "", message: "", ...(body as { error?: object } | undefined)?.error }),
  });
  const pricing = async () => (await http.get<{ pricing: Pricing }>("/pricing")).pricing;
  const seen = async (server: Server, prices: Pricing): Promise<ServerNow> =>
    serverNow(server, prices, await failureOf(http, server));

  return {
    provider: "Hetzner",
    offers: async (withBackups) => {
      const [types, prices] = await Promise.all([all<ServerType>(http, "/server_types", "server_types"), pricing()]);
      return types.flatMap((type) => offersOf(type, prices, withBackups));
    },
    images: async () => {
      const found = await all<{ name: string | null; deprecated: string | null }>(
        http,
        "/images?type=system&status=available&architecture=x86",
        "images",
      );
      return found.flatMap(({ name, deprecated }) => (name && !deprecated ? [name] : []));
    },
    found: async (owner, publicKey): Promise<CloudInventory> => {
      const selector = encodeURIComponent(
        Object.entries(hetznerLabels(owner))
          .map(([key, value]) => `${key}=${value}`)
          .join(","),
      );
      const [servers, firewalls, keys, prices] = await Promise.all([
        all<Server>(http, `/servers?label_selector=${selector}`, "servers"),
        all<Labelled>(http, `/firewalls?label_selector=${selector}`, "firewalls"),
        all<Labelled & { public_key: string }>(http, "/ssh_keys", "ssh_keys"),
        pricing(),
      ]);
      const isOurs = ({ labels }: Labelled) =>
        Object.entries(hetznerLabels(owner)).every(([key, value]) => labels[key] === value);
      const sshKey = keys.find(isOurs);
      const foreign = keys.find((key) => !isOurs(key) && bareLine(key.public_key) === bareLine(publicKey ?? ""));
      return {
        servers: await Promise.all(servers.map((server) => seen(server, prices))),
        firewall: firewalls[0] && String(firewalls[0].id),
        sshKey: sshKey && String(sshKey.id),
        foreignKey: foreign && String(foreign.id),
      };
    },
    server: async (id) => {
      try {
        const { server } = await http.get<{ server: Server }>(`/servers/${id}`);
        return await seen(server, await pricing());
      } catch (error) {
        if (error instanceof CloudError && error.status === 404) return undefined;
        throw error;
      }
    },
    // How many servers the project may have is not told.
    checkRights: () => mayWrite(http, "/ssh_keys/0"),
    failureOf: hetznerFailure,
    limits: "https://console.hetzner.cloud, Limits, Request change",
    consoleOf: (id) => `https://console.hetzner.cloud, in its project: server ${id}, Console (>_)`,
    makeRoom: (id) => http.put(`/servers/${id}`, { name: `left-${id}` }),
    remove: (id) => http.removeWhole(`/servers/${id}`),
  };
}

async function all<T>(http: CloudHttp, path: string, key: string): Promise<T[]> {
  const items: T[] = [];
  for (let page: number | null = 1, read = 0; page !== null; read += 1) {
    if (read === mostPages) throw endless("Hetzner", path);
    const paged = `${path}${path.includes("?") ? "&" : "?"}page=${page}&per_page=50`;
    type Page = { meta?: { pagination?: { next_page: number | null } } } & Record<string, T[]>;
    const body: Page = await http.get(paged);
    items.push(...(body[key] ?? []));
    page = body.meta?.pagination?.next_page ?? null;
  }
  return items;
}

/** A type of server as offers, one a location; its price with the IPv4 address that it needs (pure). */
function offersOf(type: ServerType, pricing: Pricing, withBackups: boolean): Offer[] {
  return type.prices.map(({ location }): Offer => {
    const here = type.locations?.find(({ name }) => name === location);
    return {
      plan: type.name,
      location,
      cores: type.cores,
      memoryGb: type.memory,
      diskGb: type.disk,
      architecture: type.architecture,
      monthly: monthlyOf(type, location, pricing, withBackups) ?? Number.POSITIVE_INFINITY,
      currency: pricing.currency,
      isAvailable: here?.available ?? false,
      isDeprecated: type.deprecated || (here?.deprecation ?? null) !== null,
    };
  });
}

function monthlyOf(type: ServerType, location: string, pricing: Pricing, withBackups: boolean): number | undefined {
  const at = (prices: readonly Price[] = []) => {
    const price = prices.find((each) => each.location === location);
    return price && Number(price.price_monthly.gross);
  };
  const server = at(type.prices);
  if (server === undefined) return undefined;
  const address = at(pricing.primary_ips?.find(({ type: family }) => family === "ipv4")?.prices) ?? 0;
  const backups = withBackups ? Number(pricing.server_backup?.percentage ?? 20) / 100 : 0;
  return Math.round((server * (1 + backups) + address) * 100) / 100;
}

function serverNow(server: Server, pricing: Pricing, failure: string | undefined): ServerNow {
  const location = server.location?.name ?? server.datacenter?.location.name ?? "";
  return {
    id: String(server.id),
    name: server.name,
    plan: server.server_type.name,
    location,
    image: server.image?.name ?? undefined,
    address: server.public_net.ipv4?.ip,
    monthly: monthlyOf(server.server_type, location, pricing, server.backup_window !== null),
    currency: pricing.currency,
    isProtected: server.protection.delete,
    failure,
  };
}

/** Why a server was not made to its end; only its first action tells. */
async function failureOf(http: CloudHttp, { id }: Server): Promise<string | undefined> {
  const actions = await all<Action>(http, `/servers/${id}/actions?status=error`, "actions");
  const failed = actions.find(({ command, status }) => command === "create_server" && status === "error");
  return failed && [failed.error?.code, failed.error?.message].filter(Boolean).join(": ");
}
