export const locations = ["fsn1", "nbg1", "hel1", "ash"];

const inEurope = (price: number) => ({ fsn1: price, nbg1: price, hel1: price });

// Net prices of 15 June 2026, in EUR a month, by location.
type Row = [id: number, name: string, cores: number, memory: number, disk: number, prices: Record<string, number>];
const rows: readonly Row[] = [
  [45, "cax11", 2, 4, 40, inEurope(5.99)],
  [97, "ccx23", 4, 16, 160, { ...inEurope(84.49), ash: 90.49 }],
  [109, "cpx22", 2, 4, 80, inEurope(19.49)],
  [110, "cpx32", 4, 8, 160, inEurope(33.99)],
  [114, "cx23", 2, 4, 40, inEurope(5.49)],
  [115, "cx33", 4, 8, 80, inEurope(8.49)],
  [116, "cx43", 8, 16, 160, inEurope(15.99)],
];
const plans = rows.map(([id, name, cores, memory, disk, prices]) => {
  const architecture = name.startsWith("cax") ? "arm" : "x86";
  return { id, name, cores, memory, disk, prices, architecture };
});

const VAT = 1.19;
const IPV4 = 0.5;

const amount = (net: number) => ({ net: net.toFixed(10), gross: (net * VAT).toFixed(16) });
const price = (location: string, net: number) => ({
  location,
  price_hourly: amount(net / 624),
  price_monthly: amount(net),
});
const traffic = { included_traffic: 21_990_232_555_520, price_per_tb_traffic: amount(1) };

/** Server types in the API's form. In September 2026 no CX and no CAX was listed as available: a hint only. */
export const serverTypes = plans.map(({ prices, ...plan }) => ({
  ...plan,
  description: plan.name.toUpperCase(),
  category: "Shared vCPU",
  storage_type: "local",
  cpu_type: plan.name.startsWith("ccx") ? "dedicated" : "shared",
  deprecated: false,
  deprecation: null,
  prices: Object.entries(prices).map(([location, net]) => ({ ...price(location, net), ...traffic })),
  locations: Object.keys(prices).map((name) => ({
    id: locations.indexOf(name) + 1,
    name,
    deprecation: null,
    available: /^c[pc]x/.test(plan.name),
    recommended: false,
  })),
}));

/** Returns a location in the API's form. */
export const locationJson = (name: string) => ({
  id: locations.indexOf(name) + 1,
  name,
  description: name,
  country: name === "ash" ? "US" : "DE",
  city: name,
  latitude: 50.47612,
  longitude: 12.370071,
  network_zone: name === "ash" ? "us-east" : "eu-central",
});

/** Images in the API's form. */
export const images = (["x86", "arm"] as const).flatMap((architecture, kind) =>
  ["debian-11", "ubuntu-22.04", "debian-12", "ubuntu-24.04", "debian-13"].map((name, at) => ({
    id: 67_794_390 + at * 2 + kind,
    name,
    description: name,
    architecture,
    type: "system",
    status: "available",
    image_size: null,
    disk_size: 5,
    created: "2026-08-01T00:00:00Z",
    created_from: null,
    bound_to: null,
    os_flavor: name.split("-")[0] ?? "",
    os_version: name.split("-")[1] ?? "",
    rapid_deploy: true,
    protection: { delete: false },
    deprecated: null,
    deprecation: null,
    deleted: null,
    labels: {},
  })),
);

export const pricing = {
  currency: "EUR",
  vat_rate: "19.0000000000",
  primary_ips: [{ type: "ipv4", prices: locations.map((name) => price(name, IPV4)) }],
  server_backup: { percentage: "20.0000000000" },
};
