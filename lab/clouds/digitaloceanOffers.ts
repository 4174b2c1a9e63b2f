const open = ["nyc3", "lon1", "ams3", "fra1"];

// The price list of July 2022, unchanged since.
const rows: readonly [slug: string, gib: number, vcpus: number, disk: number, usd: number][] = [
  ["s-2vcpu-4gb", 4, 2, 80, 24],
  ["c-2", 4, 2, 25, 42],
  ["s-4vcpu-8gb", 8, 4, 160, 48],
  ["s-4vcpu-8gb-amd", 8, 4, 160, 56],
  ["s-8vcpu-16gb", 16, 8, 320, 96],
  ["g-4vcpu-16gb", 16, 4, 50, 126],
];

/** Sizes by ascending price, the order of the API. */
export const sizes = rows.map(([slug, gib, vcpus, disk, price_monthly]) => {
  const memory = gib * 1024;
  return {
    slug,
    memory,
    vcpus,
    disk,
    transfer: 4,
    price_monthly,
    price_hourly: price_monthly / 672,
    regions: open,
    available: true,
    description: "Basic",
    disk_info: [{ type: "local", size: { amount: disk, unit: "gib" } }],
  };
});

/** Regions. sfo1 accepts no new Droplets. */
export const regions = [...open, "sfo1"].map((slug) => ({
  name: slug.toUpperCase(),
  slug,
  features: ["backups", "ipv6", "metadata", "install_agent", "storage", "image_transfer"],
  available: open.includes(slug),
  sizes: open.includes(slug) ? sizes.map((size) => size.slug) : [],
}));

const slugs = ["ubuntu-22-04-x64", "ubuntu-24-04-x64", "debian-12-x64", "debian-13-x64", "centos-stream-9-x64"];

/** Without debian-11-x64: its long-term support ended in August 2026. */
export const images = slugs.map((slug, at) => ({
  id: 193_120_001 + at,
  name: slug,
  distribution: slug.split("-")[0] ?? "",
  slug,
  public: true,
  regions: regions.map((region) => region.slug),
  created_at: "2026-08-01T00:00:00Z",
  min_disk_size: 10,
  type: "base",
  size_gigabytes: 1.5,
  description: slug,
  tags: [],
  status: "available",
}));
