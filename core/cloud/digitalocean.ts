import { bareLine } from "../ssh/publicKey";
import { type Cloud, type CloudInventory, type OrderFailure, type Owner, resourceName, type ServerNow } from "./cloud";
import { type ApiOptions, CloudError, type CloudHttp, createHttp, endless, mostPages } from "./http";
import type { Offer } from "./plan";
import { mayWrite } from "./rights";

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

interface Droplet {
  readonly id: number;
  readonly name: string;
  readonly size_slug: string;
  readonly size: Size;
  readonly region: { readonly slug: string };
  readonly image: { readonly slug: string | null };
  readonly networks: { readonly v4: readonly { readonly ip_address: string; readonly type: string }[] };
  readonly features: readonly string[];
}

interface Named {
  readonly id: string | number;
  readonly name: string;
}

/** Weekly backups cost a fifth of the Droplet. */
const backupShare = 0.2;

/** The tag of everything that a stack makes; a tag has no dots (pure). */
export function digitaloceanTag({ stack, pillar }: Owner): string {
  return `pillar-host:${stack}:${pillar}`.replace(/[^A-Za-z0-9:_-]/g, "-");
}

/** `ubuntu-22.04` as a slug, `ubuntu-22-04-x64` (pure). */
export function slugOf(image: string): string {
  return `${image.replaceAll(".", "-")}-x64`;
}

/** A slug as pillar-host:host.image has it; undefined where it is not for x86 (pure). */
export function imageOf(slug: string): string | undefined {
  const [, name, major, minor] = /^([a-z-]+?)-(\d+)(?:-(\d+))?-x64$/.exec(slug) ?? [];
  return name && (minor === undefined ? `${name}-${major}` : `${name}-${major}.${minor}`);
}

const limits = "Settings, Team, Resource limits";

/** What an order's error means (pure): its status and words, as the plugin repeats them; the API has no codes of its own. */
export function digitaloceanFailure(words: string): OrderFailure {
  if (/\b(size|region) is (not available|unavailable)\b/i.test(words)) return "noRoom";
  if (/\bdroplet limit\b/i.test(words)) return "quota";
  return /: 40[13]\b/.test(words) ? "rights" : "other";
}

export function createDigitalocean(
  options: Pick<ApiOptions, "token" | "sleep" | "say"> & { endpoint?: string },
): Cloud {
  const { endpoint = "https://api.digitalocean.com", ...rest } = options;
  const http = createHttp({
    ...rest,
    endpoint: `${endpoint}/v2`,
    provider: "DigitalOcean",
    wordsOf: (body) => {
      const { id = "", message = "" } = (body ?? {}) as { id?: string; message?: string };
      return { code: id, message };
    },
  });
  const seen = async (droplet: Droplet) => serverNow(droplet, await failureOf(http, droplet));

  return {
    provider: "DigitalOcean",
    offers: async (withBackups) => {
      const [sizes, regions] = await Promise.all([
        all<Size>(http, "/sizes", "sizes"),
        all<{ slug: string; available: boolean }>(http, "/regions", "regions"),
      ]);
      return sizes.flatMap((size) =>
        regions.filter(({ slug }) => size.regions.includes(slug)).map((region) => offerOf(size, region, withBackups)),
      );
    },
    images: async () => {
      const images = await all<{ slug: string | null; status?: string }>(http, "/images?type=distribution", "images");
      return images.flatMap(({ slug }) => imageOf(slug ?? "") ?? []);
    },
    found: async (owner, publicKey): Promise<CloudInventory> => {
      const [name, tag] = [resourceName(owner), digitaloceanTag(owner)];
      const [droplets, firewalls, keys, tags] = await Promise.all([
        all<Droplet>(http, `/droplets?tag_name=${encodeURIComponent(tag)}`, "droplets"),
        all<Named>(http, "/firewalls", "firewalls"),
        all<Named & { public_key: string }>(http, "/account/keys", "ssh_keys"),
        all<{ name: string }>(http, "/tags", "tags"),
      ]);
      const idOf = (list: readonly Named[]) => {
        const ours = list.find((each) => each.name === name);
        return ours && String(ours.id);
      };
      const foreign = keys.find((key) => key.name !== name && bareLine(key.public_key) === bareLine(publicKey ?? ""));
      return {
        servers: await Promise.all(droplets.map(seen)),
        firewall: idOf(firewalls),
        sshKey: idOf(keys),
        foreignKey: foreign && String(foreign.id),
        tag: tags.find((each) => each.name.toLowerCase() === tag.toLowerCase())?.name,
      };
    },
    server: async (id) => {
      try {
        return await seen((await http.get<{ droplet: Droplet }>(`/droplets/${id}`)).droplet);
      } catch (error) {
        if (error instanceof CloudError && error.status === 404) return undefined;
        throw error;
      }
    },
    checkRights: (leaving) => checkRights(http, leaving),
    failureOf: digitaloceanFailure,
    limits,
    consoleOf: (id) => `https://cloud.digitalocean.com/droplets/${id}/access, Recovery Console`,
    // A name may be had twice.
    makeRoom: async () => undefined,
    remove: (id) => http.removeWhole(`/droplets/${id}`),
  };
}

async function checkRights(http: CloudHttp, leaving: number): Promise<void> {
  const [{ account }, { meta }] = await Promise.all([
    http.get<{ account: { droplet_limit: number; status: string; status_message: string } }>("/account"),
    http.get<{ meta: { total: number } }>("/droplets?per_page=1"),
    mayWrite(http, "/account/keys/0"),
  ]);
  if (account.status === "locked")
    throw new CloudError(`the account at DigitalOcean is locked: ${account.status_message || "no reason given"}`, 0);
  if (meta.total - leaving >= account.droplet_limit)
    throw new CloudError(
      `the account at DigitalOcean has ${meta.total} Droplets and may have ${account.droplet_limit}\n` +
        `  Ask for more in its console (${limits}), or delete one, then run the same command again.`,
      0,
    );
}

async function all<T>(http: CloudHttp, path: string, key: string): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; ; page += 1) {
    if (page > mostPages) throw endless("DigitalOcean", path);
    type Page = { links?: { pages?: { next?: string } } } & Record<string, T[]>;
    const body: Page = await http.get(`${path}${path.includes("?") ? "&" : "?"}page=${page}&per_page=200`);
    items.push(...(body[key] ?? []));
    if (!body.links?.pages?.next) return items;
  }
}

function offerOf(size: Size, region: { slug: string; available: boolean }, withBackups: boolean): Offer {
  return {
    plan: size.slug,
    location: region.slug,
    cores: size.vcpus,
    memoryGb: size.memory / 1024,
    diskGb: size.disk,
    architecture: "x86",
    monthly: Math.round(size.price_monthly * (1 + (withBackups ? backupShare : 0)) * 100) / 100,
    currency: "USD",
    isAvailable: size.available && region.available,
    isDeprecated: false,
  };
}

function serverNow(droplet: Droplet, failure: string | undefined): ServerNow {
  const share = droplet.features.includes("backups") ? backupShare : 0;
  return {
    id: String(droplet.id),
    name: droplet.name,
    plan: droplet.size_slug,
    location: droplet.region.slug,
    image: imageOf(droplet.image.slug ?? ""),
    address: droplet.networks.v4.find(({ type }) => type === "public")?.ip_address,
    monthly: Math.round(droplet.size.price_monthly * (1 + share) * 100) / 100,
    currency: "USD",
    failure,
  };
}

async function failureOf(http: CloudHttp, { id }: Droplet): Promise<string | undefined> {
  const actions = await all<{ type: string; status: string }>(http, `/droplets/${id}/actions`, "actions");
  const isFailed = actions.some(({ type, status }) => type === "create" && status === "errored");
  return isFailed ? "the Droplet's creation ended in an error" : undefined;
}
