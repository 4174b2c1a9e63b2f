import dns from "node:dns/promises";
import { isIP } from "node:net";
import { isLoopback, normalizeHost, parseHostPort } from "../util/hostPort.ts";
import { withTimeout } from "../util/withTimeout.ts";
import { redactAddress } from "./chain.ts";
import { type Identified, listLeftOut, type Unanswered } from "./reading.ts";

// A node under two names must not count twice. Its address shows that before it is asked, its own id afterwards.

const limit = 5000;

/** A host whose node is not an independent reference, and its description: `this host itself`. */
export type ExcludedHost = Readonly<Record<"host" | "what", string>>;

/** `fault`: the reason why this reference must not be asked. `isLocal`: its address is loopback, as a tunnel's is. */
export type Reference = Readonly<{ url: string; fault: string | undefined; isLocal: boolean }>;

/**
 * Returns the references. One has a fault if it is the node of an earlier one under another name, runs on an excluded
 * host, or has a name that can't be resolved and so could be any of these.
 */
export async function findReferences(
  urls: readonly string[],
  excluded: readonly ExcludedHost[],
  resolve: (host: string) => Promise<readonly string[]> = resolveByDns,
): Promise<readonly Reference[]> {
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
    url: place.url,
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

/** True if two readings may be of one node. A loopback address, as that of a tunnel, may lead to any, unless the ids differ. */
function mayBeOneNode(one: Identified, other: Identified): boolean {
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
  return one.isLocal === true || other.isLocal === true;
}

/**
 * Returns the answers that count, and notes about the others. Leaves out a node that says the same as an earlier one, and
 * may be that node at another address. A node that lies about its id so silences no node that contradicts it.
 */
export function countNodesOnce<R extends Identified>(
  readings: readonly (R | Unanswered)[],
  isSame: (one: R, other: R) => boolean,
) {
  const notes = listLeftOut(readings);
  const answers = readings.filter((reading): reading is R => !("fault" in reading));
  const counted = answers.filter((reading, at) => {
    const twin = answers.slice(0, at).find((each) => mayBeOneNode(each, reading) && isSame(each, reading));
    if (twin === undefined) return true;
    const why =
      reading.id !== undefined && reading.id === twin.id
        ? `it is the same node as ${twin.client.name}, by its id`
        : `it may be the same node as ${twin.client.name}: a loopback address, and an id that is hidden (stats.networkInfo)`;
    notes.push(`${reading.client.name} is left out: ${why}. Set another node's RPC in sync.references`);
    return false;
  });
  return { counted, notes };
}
