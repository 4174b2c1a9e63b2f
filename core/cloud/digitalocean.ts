import { ignoreStatuses } from "../util/problem.ts";
import type { Offer } from "./chooseOffer.ts";
import {
  type Cloud,
  findSshKeys,
  formatId,
  formatKeyName,
  formatResourceName,
  type Owner,
  roundToCents,
  type ServerNow,
} from "./cloud.ts";
import { type CloudAccess, createHttp } from "./http.ts";

// https://docs.digitalocean.com/reference/api, as of November 2026.

interface Size {
  readonly slug: string;
  /** MiB. */
  readonly memory: number;
  readonly vcpus: number;
  readonly disk: number;
  readonly price_monthly: number;
  readonly available: boolean;
  readonly regions: readonly string[];
}

type Region = Pick<Size, "slug" | "available">;

interface Droplet {
  readonly id: number;
  readonly name: string;
  readonly size_slug: string;
  readonly region: { readonly slug: string };
  readonly image: { readonly slug: string | null };
  readonly tags: readonly string[];
  readonly networks: { readonly v4: readonly { readonly ip_address: string; readonly type: string }[] };
}

interface Named {
  readonly id: number;
  readonly name: string;
  readonly public_key: string;
}

/** Returns the tag of everything that a stack makes; DigitalOcean allows no dots in tags. */
export function createDigitaloceanTag({ stack, pillar }: Owner): string {
  return `pillar-host:${stack}:${pillar.name}`.replace(/[^A-Za-z0-9:_-]/g, "-");
}

/** Begins the tag with an order's number. */
export const orderTagPrefix = "pillar-host-order:";

/** Returns `ubuntu-22.04` as a slug, `ubuntu-22-04-x64`. */
export function formatSlug(image: string): string {
  return `${image.replaceAll(".", "-")}-x64`;
}

/** Returns a slug in the form of pillar-host:host.image; undefined if the slug is not for x86. */
export function parseSlug(slug: string): string | undefined {
  const [, name, major, minor] = /^([a-z-]+?)-(\d+)(?:-(\d+))?-x64$/.exec(slug) ?? [];
  return name && (minor === undefined ? `${name}-${major}` : `${name}-${major}.${minor}`);
}

/** Matches the text of an API error, as the plugin repeats it: these errors have no codes. */
const noRoom = /\b(size|region) is (not available|unavailable)\b/i;

export function createDigitalocean({ endpoint = "https://api.digitalocean.com", ...access }: CloudAccess): Cloud {
  const http = createHttp({ ...access, endpoint: `${endpoint}/v2`, provider: "DigitalOcean" });

  const serverNow = async (droplet: Droplet): Promise<ServerNow> => {
    const actions = await http.list<{ type: string; status: string }>(`/droplets/${droplet.id}/actions`, "actions");
    const isFailed = actions.some(({ type, status }) => type === "create" && status === "errored");
    return {
      id: String(droplet.id),
      name: droplet.name,
      plan: droplet.size_slug,
      location: droplet.region.slug,
      image: parseSlug(droplet.image.slug ?? ""),
      address: droplet.networks.v4.find(({ type }) => type === "public")?.ip_address,
      order: droplet.tags.find((tag) => tag.startsWith(orderTagPrefix))?.slice(orderTagPrefix.length),
      failure: isFailed ? "the Droplet's creation ended in an error" : undefined,
    };
  };

  return {
    provider: "DigitalOcean",
    readOffers: async (withBackups) => {
      const [sizes, regions] = await Promise.all([
        http.list<Size>("/sizes", "sizes"),
        http.list<Region>("/regions", "regions"),
      ]);
      return sizes.flatMap((size) => listOffers(size, regions, withBackups));
    },
    readImages: async () => {
      const images = await http.list<{ slug: string | null }>("/images?type=distribution", "images");
      return images.flatMap(({ slug }) => parseSlug(slug ?? "") ?? []);
    },
    readInventory: async (owner, publicKey) => {
      const tag = createDigitaloceanTag(owner);
      const [droplets, firewalls, keys, tags] = await Promise.all([
        http.list<Droplet>(`/droplets?tag_name=${encodeURIComponent(tag)}`, "droplets"),
        http.list<Named>("/firewalls", "firewalls"),
        http.list<Named>("/account/keys", "ssh_keys"),
        http.list<{ name: string }>("/tags", "tags"),
      ]);
      const isOurs = ({ name }: Named) => name === formatResourceName(owner);
      const keyName = formatKeyName(owner, publicKey ?? "");
      return {
        servers: await Promise.all(droplets.map(serverNow)),
        firewall: formatId(firewalls.find(isOurs)),
        ...findSshKeys(keys, ({ name }) => name === keyName, publicKey),
        tag: tags.find(({ name }) => name.toLowerCase() === tag.toLowerCase())?.name,
      };
    },
    readServer: async (id) => {
      const found = await http.find<Droplet>(`/droplets/${id}`, "droplet");
      return found && serverNow(found);
    },
    readPublicKey: async (id) => (await http.find<Named>(`/account/keys/${id}`, "ssh_key"))?.public_key,
    isNoRoom: (words) => noRoom.test(words),
    findLimitPage: (words) =>
      /\bdroplet limit\b/i.test(words)
        ? "https://cloud.digitalocean.com/account/team/droplet_limit_increase"
        : undefined,
    describeConsole: (id) => `https://cloud.digitalocean.com/droplets/${id}/access, Recovery Console`,
    remove: (id) => http.removeWhole(`/droplets/${id}`),
    forgetOrders: async () => {
      const tags = await http.list<{ name: string; resources: { count: number } }>("/tags", "tags");
      for (const { name, resources } of tags)
        if (name.startsWith(orderTagPrefix) && resources.count === 0)
          await http.remove(`/tags/${encodeURIComponent(name)}`).catch(ignoreStatuses(404));
    },
  };
}

function listOffers(size: Size, regions: readonly Region[], withBackups: boolean): Offer[] {
  return regions
    .filter(({ slug }) => size.regions.includes(slug))
    .map(({ slug, available }) => ({
      plan: size.slug,
      location: slug,
      cores: size.vcpus,
      memoryGb: size.memory / 1024,
      diskGb: size.disk,
      // Weekly backups cost a fifth of the Droplet.
      monthly: roundToCents(size.price_monthly * (withBackups ? 1.2 : 1)),
      currency: "USD",
      isAvailable: size.available && available,
    }));
}
