import { z } from "zod";
import { unprocessable } from "./answers";
import { type Image, images, type Region, regions, type Size, sizes } from "./catalog";
import type { BackupPolicy, Cloud } from "./cloud";
import { isShown } from "./offers";

export const policySchema = z.object({
  plan: z.enum(["daily", "weekly"]).default("weekly"),
  // godo sends an empty day for a daily plan.
  weekday: z.enum(["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", ""]).optional(),
  hour: z.union([z.literal(0), z.literal(4), z.literal(8), z.literal(12), z.literal(16), z.literal(20)]).optional(),
});

/** Schema of a create's body. Drops the fields that the lab does not use. */
export const createSchema = z.object({
  name: z.string(),
  region: z.string().optional(),
  size: z.string(),
  image: z.string(),
  ssh_keys: z.array(z.number()).nullish(),
  backups: z.boolean().default(false),
  backup_policy: policySchema.optional(),
  user_data: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
});
export type CreateRequest = z.infer<typeof createSchema>;

/** A create that can be carried out. */
export interface Order {
  readonly name: string;
  readonly region: Region;
  readonly size: Size;
  readonly image: Image;
  readonly sshKeys: readonly string[];
  readonly userData: string;
  readonly tags: readonly string[];
  readonly features: Set<string>;
  readonly backupPolicy: BackupPolicy | undefined;
}

/** Returns the order of a create. Throws the API's error if it cannot be carried out. */
export function orderOf(cloud: Cloud, body: CreateRequest): Order {
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(body.name)) {
    throw unprocessable("Only valid hostnames are allowed. (a-z, A-Z, 0-9, . and -)");
  }
  const region = regions.find(({ slug }) => slug === (body.region ?? "nyc3"));
  const size = sizes.find(({ slug }) => slug === body.size);
  const image = images.find(({ slug }) => slug === body.image);
  if (!region) throw invalid("region");
  if (!size) throw invalid("size");
  if (!image) throw invalid("image");
  const sshKeys = keysOf(cloud, body.ssh_keys ?? []);
  const userData = body.user_data ?? "";
  requireCapacity(cloud, region, size);

  const { name, tags, backups, backup_policy } = body;
  const features = new Set(backups ? ["backups"] : []);
  const backupPolicy = backups ? (backup_policy ?? { plan: "weekly" }) : undefined;
  return { name, region, size, image, sshKeys, userData, tags: tags ?? [], features, backupPolicy };
}

const invalid = (what: string) => unprocessable(`You specified an invalid ${what} for Droplet creation.`);

function requireCapacity(cloud: Cloud, region: Region, size: Size): void {
  if (!region.available) throw unprocessable("Region is not available");
  const isFull = cloud.faults.strike("noCapacity", { location: region.slug, shows: "create" });
  if (isFull || !isShown(size, region)) throw unprocessable("Size is not available in this region.");
}

function keysOf(cloud: Cloud, ids: readonly number[]): string[] {
  return ids.map((id) => {
    const key = cloud.keys.get(id);
    if (!key) throw unprocessable(`${id} are invalid key identifiers for Droplet creation.`);
    return key.public_key.trim();
  });
}
