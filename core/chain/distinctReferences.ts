import dns from "node:dns/promises";
import { isIP } from "node:net";
import { isLoopback, normalizeHost, parseHostPort } from "../util/hostPort.ts";
import { withTimeout } from "../util/withTimeout.ts";
import { type ChainClient, openReferenceChain, redactAddress } from "./chain.ts";
import { createSilentFault, type Reading } from "./reading.ts";

const limit = 5000;

/** A host whose node is not an independent reference, and its description: `this host itself`. */
export type ExcludedHost = Readonly<Record<"host" | "what", string>>;

/** `fault`: the reason why this client must not be asked. `isLocal`: it has a loopback address, as an ssh tunnel has. */
export type ReferenceClient = Readonly<{ client: ChainClient; fault?: string | undefined; isLocal?: boolean }>;

/** Reads all references at once, but those that have a fault. */
export async function readReferences<T extends object>(
  urls: readonly string[],
  excluded: readonly ExcludedHost[],
  read: (client: ChainClient) => Promise<Reading<T>>,
): Promise<Reading<T>[]> {
  return readClients(await openReferences(urls, excluded), read);
}

/** Reads all clients at once. Does not ask one that has a fault. */
export function readClients<T extends object>(
  clients: readonly ReferenceClient[],
  read: (client: ChainClient) => Promise<Reading<T>>,
): Promise<Reading<T>[]> {
  const readOne = async ({ client, fault, isLocal }: ReferenceClient): Promise<Reading<T>> =>
    fault === undefined ? Object.assign(await read(client), { isLocal }) : { client, fault: createSilentFault(fault) };
  return Promise.all(clients.map(readOne));
}

/**
 * Returns a client for each reference. A reference has a fault if it is the node of an earlier one under another name,
 * runs on an excluded host, or has a name that can't be resolved and so could be any of these.
 */
export async function openReferences(
  urls: readonly string[],
  excluded: readonly ExcludedHost[],
  resolve: (host: string) => Promise<readonly string[]> = resolveByDns,
): Promise<readonly ReferenceClient[]> {
  const addressesOf = async (host: string) => [host, ...(await resolve(host))];
  const findOther = async ({ host, what }: ExcludedHost) => {
    const name = normalizeHost(host);
    return { what, addresses: await addressesOf(name).catch(() => [name]) };
  };
  const findPlace = async (url: string) => {
    const { host, port } = parseHostPort(url);
    return { url, port, addresses: await addressesOf(host).catch((error: NodeJS.ErrnoException) => error) };
  };
  // Resolve all names in parallel: one that hangs must not use up the time of a whole lookup.
  const [others, places] = await Promise.all([Promise.all(excluded.map(findOther)), Promise.all(urls.map(findPlace))]);
  const counted: { url: string; port: string; addresses: readonly string[] }[] = [];
  const findFault = ({ url, port, addresses }: (typeof places)[number]): string | undefined => {
    if (addresses instanceof Error) return `its name is not resolved: ${addresses.code ?? addresses.message}`;
    const isAt = (those: readonly string[]) => those.some((each) => addresses.includes(each));
    const other = others.find((each) => isAt(each.addresses));
    if (other) return `it is ${other.what}`;
    const twin = counted.find((each) => each.port === port && isAt(each.addresses));
    if (twin) return `it is the same node as ${redactAddress(twin.url)}`;
    counted.push({ url, port, addresses });
    return undefined;
  };
  return places.map((place) => ({
    client: openReferenceChain(place.url),
    fault: findFault(place),
    isLocal: !(place.addresses instanceof Error) && place.addresses.some(isLoopback),
  }));
}

/** Returns all addresses of a host. @throws if its name cannot be resolved */
async function resolveByDns(host: string): Promise<readonly string[]> {
  if (isIP(host)) return [host];
  const found = await withTimeout(dns.lookup(host, { all: true }), limit);
  return found.map(({ address }) => normalizeHost(address));
}
