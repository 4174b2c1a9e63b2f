/** A server type that Hetzner sells. Prices are net, in EUR a month, by location. */
export interface Plan {
  readonly id: number;
  readonly name: string;
  readonly cores: number;
  readonly memory: number;
  readonly disk: number;
  readonly architecture: "x86" | "arm";
  readonly prices: Readonly<Record<string, number>>;
  /** True if the list says that the server type can be ordered. It is only a hint. */
  readonly available: boolean;
}

/** An image in the API's form. */
export interface Image {
  readonly id: number;
  readonly type: "system";
  readonly status: "available";
  readonly name: string;
  readonly deprecated: null;
  readonly architecture: Plan["architecture"];
}

/** Locations. The first one is the default. */
export const places = ["fsn1", "nbg1", "hel1", "ash"].map((name, at) => ({ id: at + 1, name }));

const inEurope = (price: number) => ({ fsn1: price, nbg1: price, hel1: price });

// Prices of 15 June 2026. In September 2026 no CX and no CAX was listed as available anywhere.
type Row = [id: number, name: string, cores: number, memory: number, disk: number, prices: Record<string, number>];
const rows: readonly Row[] = [
  [45, "cax11", 2, 4, 40, inEurope(5.99)],
  [94, "cax31", 8, 16, 160, inEurope(20.99)],
  [97, "ccx23", 4, 16, 160, { ...inEurope(84.49), ash: 90.49 }],
  [109, "cpx22", 2, 4, 80, inEurope(19.49)],
  [110, "cpx32", 4, 8, 160, inEurope(33.99)],
  [111, "cpx42", 8, 16, 320, inEurope(61.99)],
  [114, "cx23", 2, 4, 40, inEurope(5.49)],
  [115, "cx33", 4, 8, 80, inEurope(8.49)],
  [116, "cx43", 8, 16, 160, inEurope(15.99)],
  [117, "cx53", 16, 32, 320, inEurope(29.49)],
];

export const plans: readonly Plan[] = rows.map(([id, name, cores, memory, disk, prices]) => ({
  id,
  name,
  cores,
  memory,
  disk,
  prices,
  architecture: name.startsWith("cax") ? "arm" : "x86",
  available: /^c[pc]x/.test(name),
}));

const names = ["debian-11", "ubuntu-22.04", "debian-12", "ubuntu-24.04", "debian-13"];
export const images: readonly Image[] = (["x86", "arm"] as const).flatMap((architecture, kind) =>
  names.map((name, at) => ({
    id: 67_794_390 + at * 2 + kind,
    name,
    architecture,
    type: "system",
    status: "available",
    deprecated: null,
  })),
);

const VAT = 1.19;
const IPV4 = 0.5;
const BACKUP_PERCENT = 20;

const price = (location: string, net: number) => ({ location, price_monthly: { gross: (net * VAT).toFixed(16) } });

export function planPrices({ prices }: Plan): object[] {
  return Object.entries(prices).map(([location, net]) => price(location, net));
}

export const pricing = {
  currency: "EUR",
  primary_ips: [{ type: "ipv4", prices: places.map(({ name }) => price(name, IPV4)) }],
  server_backup: { percentage: BACKUP_PERCENT.toFixed(10) },
};
