import type { Offer } from "./chooseOffer.ts";
import { type Cloud, findSshKeys, formatId, type Owner, roundToCents, type ServerNow } from "./cloud.ts";
import { type CloudAccess, createHttp } from "./http.ts";

// https://docs.hetzner.cloud/reference/cloud, as of November 2026; /datacenters is gone since October.

type Prices = readonly { readonly location: string; readonly price_monthly: { readonly gross: string } }[];

interface ServerType {
  readonly name: string;
  readonly cores: number;
  readonly memory: number;
  readonly disk: number;
  readonly architecture: string;
  readonly deprecated: boolean;
  readonly prices: Prices;
  readonly locations: readonly { name: string; available: boolean; deprecation: object | null }[];
}

interface Pricing {
  readonly currency: string;
  readonly primary_ips: readonly { readonly type: string; readonly prices: Prices }[];
  readonly server_backup: { readonly percentage: string };
}

interface Server {
  readonly id: number;
  readonly name: string;
  readonly server_type: { readonly name: string };
  readonly location: { readonly name: string };
  readonly image: { readonly name: string | null } | null;
  readonly public_net: { readonly ipv4: { readonly ip: string } | null };
  readonly protection: { readonly delete: boolean };
  readonly labels: Readonly<Record<string, string>>;
}

type Action = {
  readonly command: string;
  readonly status: string;
  readonly error: { code: string; message: string } | null;
};

interface Labelled {
  readonly id: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly public_key: string;
}

/** Returns a stack's labels: at most 63 letters, digits, dots, dashes, underscores; a letter or digit at both ends. */
export function createHetznerLabels({ stack, pillar }: Owner) {
  const label = (text: string) => text.replace(/[^A-Za-z0-9._-]/g, "-").slice(0, 63);
  const trimmed = (text: string) => label(text).replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  return { "pillar-host-stack": trimmed(stack), "pillar-host-pillar": trimmed(pillar.name) };
}

export const hetznerOrderLabel = "pillar-host-order";

export const hetznerNoRoom =
  /\b(resource_unavailable|placement_error)\b|unsupported location|\blocation\b.*\b(not found|disabled)\b/;

export function createHetzner({ endpoint = "https://api.hetzner.cloud/v1", ...access }: CloudAccess): Cloud {
  const http = createHttp({ ...access, endpoint, provider: "Hetzner" });
  /** Converts a server. If its creation failed, reads the reason from the failed action. */
  const serverNow = async (server: Server): Promise<ServerNow> => {
    const actions = await http.list<Action>(`/servers/${server.id}/actions?status=error`, "actions");
    const failed = actions.find(({ command, status }) => command === "create_server" && status === "error");
    return {
      id: String(server.id),
      name: server.name,
      plan: server.server_type.name,
      location: server.location.name,
      image: server.image?.name ?? undefined,
      address: server.public_net.ipv4?.ip,
      isProtected: server.protection.delete,
      order: server.labels[hetznerOrderLabel],
      failure: failed && [failed.error?.code, failed.error?.message].filter(Boolean).join(": "),
    };
  };

  return {
    provider: "Hetzner",
    readOffers: async (withBackups) => {
      const [types, pricing] = await Promise.all([
        http.list<ServerType>("/server_types", "server_types"),
        http.get<Pricing>("/pricing", "pricing"),
      ]);
      return types
        .filter(({ architecture, deprecated }) => architecture === "x86" && !deprecated)
        .flatMap((type) => listOffers(type, pricing, withBackups));
    },
    readImages: async () => {
      const path = "/images?type=system&status=available&architecture=x86";
      const found = await http.list<{ name: string | null; deprecated: string | null }>(path, "images");
      return found.flatMap(({ name, deprecated }) => (name && !deprecated ? [name] : []));
    },
    readInventory: async (owner, publicKey) => {
      const labels = Object.entries(createHetznerLabels(owner));
      const selector = encodeURIComponent(labels.map((label) => label.join("=")).join(","));
      const [servers, firewalls, keys] = await Promise.all([
        http.list<Server>(`/servers?label_selector=${selector}`, "servers"),
        http.list<Labelled>(`/firewalls?label_selector=${selector}`, "firewalls"),
        http.list<Labelled>("/ssh_keys", "ssh_keys"),
      ]);
      return {
        servers: await Promise.all(servers.map(serverNow)),
        firewall: formatId(firewalls[0]),
        ...findSshKeys(keys, (key) => labels.every(([name, value]) => key.labels[name] === value), publicKey),
      };
    },
    readServer: async (id) => {
      const found = await http.find<Server>(`/servers/${id}`, "server");
      return found && serverNow(found);
    },
    readPublicKey: async (id) => (await http.find<Labelled>(`/ssh_keys/${id}`, "ssh_key"))?.public_key,
    isNoRoom: (words) => hetznerNoRoom.test(words),
    findLimitPage: (words) =>
      /\bresource_limit_exceeded\b/.test(words) ? "https://console.hetzner.cloud/limits" : undefined,
    describeConsole: (id) => `https://console.hetzner.cloud, in its project: server ${id}, Console (>_)`,
    makeRoom: (id) => http.put(`/servers/${id}`, { name: `left-${id}` }),
    remove: (id) => http.removeWhole(`/servers/${id}`),
  };
}

function listOffers(type: ServerType, pricing: Pricing, withBackups: boolean): Offer[] {
  return type.locations
    .filter(({ deprecation }) => deprecation === null)
    .map(({ name: location, available }) => ({
      plan: type.name,
      location,
      cores: type.cores,
      memoryGb: type.memory,
      diskGb: type.disk,
      monthly: computeMonthly(type, location, pricing, withBackups),
      currency: pricing.currency,
      isAvailable: available,
    }));
}

/** Returns the monthly price of a server and the IPv4 address that it needs. */
function computeMonthly(type: ServerType, location: string, pricing: Pricing, withBackups: boolean): number {
  const at = (prices: Prices = []) => prices.find((each) => each.location === location)?.price_monthly.gross;
  const address = at(pricing.primary_ips.find(({ type: family }) => family === "ipv4")?.prices) ?? 0;
  const backups = withBackups ? Number(pricing.server_backup.percentage) / 100 : 0;
  return roundToCents(Number(at(type.prices) ?? Number.POSITIVE_INFINITY) * (1 + backups) + Number(address));
}
