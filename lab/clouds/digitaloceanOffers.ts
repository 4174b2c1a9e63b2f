/** Regions. sfo1 accepts no new Droplets. */
export const regions = ["nyc3", "sfo1", "lon1", "ams3", "fra1"].map((slug) => ({ slug, available: slug !== "sfo1" }));

const open = regions.filter(({ available }) => available).map(({ slug }) => slug);

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
  return { slug, memory, vcpus, disk, price_monthly, regions: open, available: true };
});

const slugs = ["ubuntu-22-04-x64", "ubuntu-24-04-x64", "debian-12-x64", "debian-13-x64", "centos-stream-9-x64"];

/** Without debian-11-x64: its long-term support ended in August 2026. */
export const images = slugs.map((slug, at) => ({ id: 193_120_001 + at, slug }));
