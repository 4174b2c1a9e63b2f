import { isIP } from "node:net";

const bitsOf = { 4: 32, 6: 128 } as const;

function parseAddress(address: string, family: 4 | 6): bigint {
  if (family === 4) return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  // The URL parser writes every spelling in one form, an embedded IPv4 address among them.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text = "") => (text === "" ? [] : text.split(":"));
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(zeros).fill("0"), ...groups(tail)];
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

/**
 * Parses a network in CIDR form: its family, and its first and last address as numbers. Returns undefined for anything
 * else. Refuses host bits, as providers do: 192.0.2.1/24.
 */
export function parseNetwork(text: string) {
  const [, address = "", length = ""] = /^([0-9A-Fa-f:.]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const family = isIP(address);
  if (family !== 4 && family !== 6) return undefined;
  const free = bitsOf[family] - Number(length);
  if (free < 0) return undefined;
  const first = parseAddress(address, family);
  const last = first | ((1n << BigInt(free)) - 1n);
  return (first >> BigInt(free)) << BigInt(free) === first ? { family, first, last } : undefined;
}

/** The share of all addresses that counts as everybody: all of IPv6 that is in use is an eighth of it (2000::/3). */
const everybodyShare = 16n;

/** True if the networks together let in everybody, in whatever pieces: 0.0.0.0/1 and 128.0.0.0/1 are everybody. */
export function coversEverybody(networks: readonly string[]): boolean {
  const ranges = networks.flatMap((network) => parseNetwork(network) ?? []);
  ranges.sort((one, other) => Number(one.first - other.first));
  return ([4, 6] as const).some((family) => {
    let [covered, last] = [0n, -1n];
    for (const range of ranges.filter((each) => each.family === family)) {
      if (range.last <= last) continue;
      covered += range.last - (range.first > last ? range.first - 1n : last);
      last = range.last;
    }
    return covered * everybodyShare >= 1n << BigInt(bitsOf[family]);
  });
}
