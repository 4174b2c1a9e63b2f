/** What DigitalOcean sells, as far as the lab offers it. */
export interface Region {
  slug: string;
  name: string;
  available: boolean;
  features: string[];
}

/** A plan. */
export interface Size {
  slug: string;
  description: string;
  /** MiB. */
  memory: number;
  vcpus: number;
  /** GiB, all of it; the operating system takes its part. */
  disk: number;
  /** TiB per month. */
  transfer: number;
  price_monthly: number;
  price_hourly: number;
  available: boolean;
  regions: string[];
}

/** An image of a distribution. */
export interface Image {
  id: number;
  slug: string;
  name: string;
  distribution: string;
  description: string;
  created_at: string;
  min_disk_size: number;
  size_gigabytes: number;
}

const features = ["backups", "ipv6", "metadata", "install_agent", "storage", "image_transfer"];
const region = (slug: string, name: string, available = true): Region => ({ slug, name, available, features });

/** docs.digitalocean.com, regional availability, 2026; sfo1 and ams2 take no new Droplets. */
export const regions: readonly Region[] = [
  region("nyc1", "New York 1"),
  region("sfo1", "San Francisco 1", false),
  region("nyc2", "New York 2"),
  region("ams2", "Amsterdam 2", false),
  region("sgp1", "Singapore 1"),
  region("lon1", "London 1"),
  region("nyc3", "New York 3"),
  region("ams3", "Amsterdam 3"),
  region("fra1", "Frankfurt 1"),
  region("tor1", "Toronto 1"),
  region("sfo2", "San Francisco 2"),
  region("blr1", "Bangalore 1"),
  region("sfo3", "San Francisco 3"),
  region("syd1", "Sydney 1"),
  region("atl1", "Atlanta 1"),
];

const open = regions.filter(({ available }) => available).map(({ slug }) => slug);
// The older datacenters have no Premium CPUs.
const premium = open.filter((slug) => !["nyc2", "sfo2"].includes(slug));

type Row = [
  slug: string,
  description: string,
  gib: number,
  vcpus: number,
  disk: number,
  transfer: number,
  usd: number,
  where: string[],
];

// Public price list as quoted in size lists up to 2026 (prices of July 2022, unchanged since). An hour is 1/672 of a
// month.
const rows: Row[] = [
  ["s-1vcpu-512mb-10gb", "Basic", 0.5, 1, 10, 0.5, 4, ["nyc1", "nyc3", "ams3", "fra1", "sfo3", "sgp1", "syd1"]],
  ["s-1vcpu-1gb", "Basic", 1, 1, 25, 1, 6, open],
  ["s-1vcpu-2gb", "Basic", 2, 1, 50, 2, 12, open],
  ["s-2vcpu-2gb", "Basic", 2, 2, 60, 3, 18, open],
  ["s-2vcpu-4gb", "Basic", 4, 2, 80, 4, 24, open],
  ["s-2vcpu-4gb-amd", "Basic AMD", 4, 2, 80, 4, 28, premium],
  ["s-2vcpu-4gb-intel", "Basic Intel", 4, 2, 80, 4, 28, premium],
  ["c-2", "CPU-Optimized", 4, 2, 25, 4, 42, open],
  ["s-4vcpu-8gb", "Basic", 8, 4, 160, 5, 48, open],
  ["s-4vcpu-8gb-amd", "Basic AMD", 8, 4, 160, 5, 56, premium],
  ["s-4vcpu-8gb-intel", "Basic Intel", 8, 4, 160, 5, 56, premium],
  ["g-2vcpu-8gb", "General Purpose", 8, 2, 25, 4, 63, open],
  ["s-4vcpu-8gb-240gb-intel", "Basic Intel", 8, 4, 240, 6, 64, premium],
  ["c-4", "CPU-Optimized", 8, 4, 50, 5, 84, open],
  ["s-4vcpu-16gb-amd", "Basic AMD", 16, 4, 200, 8, 84, premium],
  ["m-2vcpu-16gb", "Memory-Optimized", 16, 2, 50, 4, 84, open],
  ["c2-4vcpu-8gb", "CPU-Optimized 2x SSD", 8, 4, 100, 5, 94, open],
  ["s-8vcpu-16gb", "Basic", 16, 8, 320, 6, 96, open],
  ["s-8vcpu-16gb-amd", "Basic AMD", 16, 8, 320, 6, 112, premium],
  ["s-8vcpu-16gb-intel", "Basic Intel", 16, 8, 320, 6, 112, premium],
  ["g-4vcpu-16gb", "General Purpose", 16, 4, 50, 5, 126, open],
];

/** In the order of the price, as the API lists them. */
export const sizes: readonly Size[] = rows.map(
  ([slug, description, gib, vcpus, disk, transfer, price_monthly, where]) => ({
    slug,
    description,
    memory: gib * 1024,
    vcpus,
    disk,
    transfer,
    price_monthly,
    price_hourly: Math.round((price_monthly / 672) * 1e5) / 1e5,
    available: true,
    regions: [...where],
  }),
);

const image = (
  id: number,
  slug: string,
  distribution: string,
  name: string,
  created: string,
  min_disk_size = 7,
): Image => ({
  id,
  slug,
  name,
  distribution,
  description: `${distribution} ${name}`,
  created_at: `${created}T00:00:00Z`,
  min_disk_size,
  size_gigabytes: 0.6,
});

/**
 * Slugs as in the API; numbers and dates are the lab's. An image goes when its distribution's support ends (image
 * deprecation policy), so there is no debian-11-x64 since its long-term support ended in August 2026, and no CentOS 8.
 */
export const images: readonly Image[] = [
  image(193_120_001, "ubuntu-22-04-x64", "Ubuntu", "22.04 (LTS) x64", "2026-08-12"),
  image(193_120_002, "ubuntu-24-04-x64", "Ubuntu", "24.04 (LTS) x64", "2026-08-12"),
  image(193_120_003, "ubuntu-26-04-x64", "Ubuntu", "26.04 (LTS) x64", "2026-08-20"),
  image(193_120_004, "debian-12-x64", "Debian", "12 x64", "2026-08-04"),
  image(193_120_005, "debian-13-x64", "Debian", "13 x64", "2026-08-04"),
  image(193_120_006, "centos-stream-9-x64", "CentOS", "9 Stream x64", "2026-07-15", 10),
  image(193_120_007, "centos-stream-10-x64", "CentOS", "10 Stream x64", "2026-07-15", 10),
  image(193_120_008, "fedora-43-x64", "Fedora", "43 x64", "2026-07-20", 15),
  image(193_120_009, "almalinux-9-x64", "AlmaLinux", "9 x64", "2026-07-15", 10),
  image(193_120_010, "rockylinux-9-x64", "Rocky Linux", "9 x64", "2026-07-15", 10),
];
