/** A server type as Hetzner sells it. Prices are net, in EUR a month, by location. */
export interface Plan {
  readonly id: number;
  readonly name: string;
  readonly category: "cost_optimized" | "regular_purpose" | "general_purpose";
  readonly cores: number;
  readonly memory: number;
  readonly disk: number;
  readonly cpuType: "shared" | "dedicated";
  readonly architecture: "x86" | "arm";
  /** Where it is listed, with its price there. */
  readonly prices: Readonly<Record<string, number>>;
  /** Where the list says that it can be ordered. */
  readonly available: readonly string[];
}

const EU = ["fsn1", "nbg1", "hel1"] as const;
const US = ["ash", "hil"] as const;

// The prices of the price adjustment of 15 June 2026. Measured on Hetzner's price pages on 3 September 2026
// (github.com/robhunter/agentdeals/pull/1286 and 1323; those pages include 0.50 for the IPv4 address, the API's prices
// do not): CX, CAX, CPX12, CPX22, CCX13 and CPX11. The others are extrapolated from the prices of April 2026 in the
// proportion that CPX22 and CCX13 show (2.44 and 2.69). On that day the pages showed no CX and no CAX as to be had anywhere.
// Sizes and locations: Hetzner's lists of 2026.
const inEurope = (price: number): Record<string, number> => Object.fromEntries(EU.map((at) => [at, price]));
const inAmerica = (price: number): Record<string, number> => Object.fromEntries(US.map((at) => [at, price]));

type Row = [id: number, name: string, cores: number, memory: number, disk: number, prices: Record<string, number>];

const costOptimized = (architecture: Plan["architecture"], ...rows: Row[]): Plan[] =>
  rows.map((row) => ({ ...base(row), category: "cost_optimized", cpuType: "shared", architecture, available: [] }));
const orderable = (category: Plan["category"], cpuType: Plan["cpuType"], ...rows: Row[]): Plan[] =>
  rows.map((row) => ({ ...base(row), category, cpuType, architecture: "x86", available: Object.keys(row[5]) }));

function base([id, name, cores, memory, disk, prices]: Row) {
  return { id, name, cores, memory, disk, prices };
}

/** All server types, in the API's order: by id. */
export const plans: readonly Plan[] = [
  ...orderable(
    "regular_purpose",
    "shared",
    [22, "cpx11", 2, 2, 40, inAmerica(17.49)],
    [23, "cpx21", 3, 4, 80, inAmerica(31.49)],
    [24, "cpx31", 4, 8, 160, inAmerica(56.99)],
  ),
  ...costOptimized(
    "arm",
    [45, "cax11", 2, 4, 40, inEurope(5.99)],
    [93, "cax21", 4, 8, 80, inEurope(10.49)],
    [94, "cax31", 8, 16, 160, inEurope(20.99)],
    [95, "cax41", 16, 32, 320, inEurope(40.99)],
  ),
  ...orderable(
    "general_purpose",
    "dedicated",
    [96, "ccx13", 2, 8, 80, { ...inEurope(42.99), ...inAmerica(45.99), sin: 57.99 }],
    [97, "ccx23", 4, 16, 160, { ...inEurope(84.49), ...inAmerica(90.49), sin: 112.99 }],
    [98, "ccx33", 8, 32, 240, { ...inEurope(167.99), ...inAmerica(179.99), sin: 224.99 }],
    [99, "ccx43", 16, 64, 360, { ...inEurope(335.99), ...inAmerica(359.99), sin: 449.99 }],
  ),
  ...orderable(
    "regular_purpose",
    "shared",
    [108, "cpx12", 1, 2, 40, { ...inEurope(11.49), sin: 15.49 }],
    [109, "cpx22", 2, 4, 80, { ...inEurope(19.49), sin: 26.49 }],
    [110, "cpx32", 4, 8, 160, { ...inEurope(33.99), sin: 45.99 }],
    [111, "cpx42", 8, 16, 320, { ...inEurope(61.99), sin: 83.99 }],
    [112, "cpx52", 12, 24, 480, { ...inEurope(88.99), sin: 119.99 }],
    [113, "cpx62", 16, 32, 640, { ...inEurope(122.99), sin: 165.99 }],
  ),
  ...costOptimized(
    "x86",
    [114, "cx23", 2, 4, 40, inEurope(5.49)],
    [115, "cx33", 4, 8, 80, inEurope(8.49)],
    [116, "cx43", 8, 16, 160, inEurope(15.99)],
    [117, "cx53", 16, 32, 320, inEurope(29.49)],
  ),
];

const TB = 1024 ** 4;

/** Outgoing traffic that a server has free in a month, in bytes, and what a TB beyond it costs. */
export function traffic(location: string): { readonly included: number; readonly perTb: number } {
  if (location === "sin") return { included: TB, perTb: 7.4 };
  return (US as readonly string[]).includes(location)
    ? { included: 3 * TB, perTb: 1 }
    : { included: 20 * TB, perTb: 1 };
}

/** What is paid beside a server: net, in EUR a month. GET /v1/pricing of May 2026, as far as it was published. */
export const extras = { vatRate: 19, ipv4: 0.5, backupPercent: 20, volumeGb: 0.0572, imageGb: 0.0143, floatingIpv4: 3 };
