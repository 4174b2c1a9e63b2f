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

const price = (location: string, net: number) => ({ location, price_monthly: { gross: (net * VAT).toFixed(16) } });

/** Server types in the API's form. In September 2026 no CX and no CAX was listed as available: a hint only. */
export const serverTypes = plans.map(({ prices, ...plan }) => ({
  ...plan,
  deprecated: false,
  prices: Object.entries(prices).map(([location, net]) => price(location, net)),
  locations: Object.keys(prices).map((name) => ({ name, deprecation: null, available: /^c[pc]x/.test(plan.name) })),
}));

/** Images in the API's form. */
export const images = (["x86", "arm"] as const).flatMap((architecture, kind) =>
  ["debian-11", "ubuntu-22.04", "debian-12", "ubuntu-24.04", "debian-13"].map((name, at) => ({
    id: 67_794_390 + at * 2 + kind,
    name,
    architecture,
    type: "system",
    status: "available",
    deprecated: null,
  })),
);

export const pricing = {
  currency: "EUR",
  primary_ips: [{ type: "ipv4", prices: locations.map((name) => price(name, IPV4)) }],
  server_backup: { percentage: "20.0000000000" },
};
