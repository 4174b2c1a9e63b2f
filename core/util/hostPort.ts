import { isIP } from "node:net";

/** Normalizes a host's name or address, so that one node does not count as two. */
export function normalizeHost(text: string): string {
  const bare = text.toLowerCase().replace(/^\[|\]$|\.$/g, "");
  if (/^\d+(\.\d+){3}$/.test(bare)) return bare.split(".").map(Number).join(".");
  const url = `http://[${bare}]`;
  if (!URL.canParse(url)) return bare;
  const short = new URL(url).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  const [one, two] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [one >> 8, one & 255, two >> 8, two & 255].join(".");
}

/** Parses the IP addresses in a text, and ignores all other words. */
export const parseAddresses = (text: string) => text.split(/\s+/).filter((word) => isIP(word) !== 0);

/** Returns host and port of an RPC's address. Ignores path and scheme, because they do not make it another node. */
export function parseHostPort(url: string): { readonly host: string; readonly port: string } {
  const { hostname, port, protocol } = new URL(url);
  return { host: normalizeHost(hostname), port: port || (protocol === "https:" ? "443" : "80") };
}

/** True if a host, in the form that {@link normalizeHost} gives, is this machine itself. */
export const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|0\.0\.0\.0|::1?)$/.test(host);

type Machine = { readonly address?: string; readonly hostKey?: string | undefined };

/** True if two hosts are one machine, by address or host key. */
export function isSameMachine(one: Machine, other: Machine): boolean {
  const [address, otherAddress] = [one, other].map((each) => each.address && normalizeHost(each.address));
  const isSameKey = one.hostKey !== undefined && one.hostKey === other.hostKey;
  return isSameKey || (address !== undefined && address === otherAddress);
}
