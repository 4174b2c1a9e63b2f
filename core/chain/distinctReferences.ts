import dns from "node:dns/promises";
import { isIP } from "node:net";
import { normalizeHost, parseHostPort } from "../util/hostPort";
import { withTimeout } from "../util/withTimeout";
import { type ChainClient, openReferenceChain, redactAddress } from "./chain";

/** Returns all addresses of a host. @throws if its name cannot be resolved */
type Resolve = (host: string) => Promise<readonly string[]>;

const limit = 5000;

const resolveByDns: Resolve = async (host) => {
  if (isIP(host)) return [host];
  const found = await withTimeout(dns.lookup(host, { all: true }), limit, `no answer within ${limit / 1000} s`);
  return found.map(({ address }) => normalizeHost(address));
};

/** A host whose node is not an independent reference, and its description: `this host itself`. */
export interface ExcludedHost {
  readonly host: string;
  readonly what: string;
}

export interface ReferenceClient {
  readonly client: ChainClient;
  readonly fault?: string | undefined;
}

/** Returns a client for each reference. Do not ask a client that has a `fault`. */
export async function openReferences(
  urls: readonly string[],
  excluded: readonly ExcludedHost[],
): Promise<readonly ReferenceClient[]> {
  const references = await listDistinctReferences(urls, excluded);
  return references.map(({ url, fault }) => ({ client: openReferenceChain(url), fault }));
}

/**
 * Finds references that are one node under several names, or that run on an excluded host. A name that cannot be
 * resolved could be any of these hosts, so its reference does not count.
 */
export async function listDistinctReferences(
  urls: readonly string[],
  excluded: readonly ExcludedHost[],
  resolve: Resolve = resolveByDns,
): Promise<readonly { readonly url: string; readonly fault?: string }[]> {
  const addressesOf = async (host: string) => [host, ...(await resolve(host))];
  // Resolve all names in parallel: one that hangs must not use up the time of a whole lookup.
  const [others, places] = await Promise.all([
    Promise.all(
      excluded.map(async ({ host, what }) => {
        const name = normalizeHost(host);
        return { what, addresses: await addressesOf(name).catch(() => [name]) };
      }),
    ),
    Promise.all(
      urls.map(async (url) => {
        const { host, port } = parseHostPort(url);
        const addresses = await addressesOf(host).catch((error: NodeJS.ErrnoException) => error);
        return { url, port, addresses };
      }),
    ),
  ]);
  const counted: { url: string; port: string; addresses: readonly string[] }[] = [];
  return places.map(({ url, port, addresses }) => {
    if (addresses instanceof Error)
      return {
        url,
        fault: `its name is not resolved: ${(addresses as NodeJS.ErrnoException).code ?? addresses.message}`,
      };
    const isAt = (those: readonly string[]) => those.some((each) => addresses.includes(each));
    const other = others.find((each) => isAt(each.addresses));
    if (other) return { url, fault: `it is ${other.what}` };
    const twin = counted.find((each) => each.port === port && isAt(each.addresses));
    if (twin) return { url, fault: `it is the same node as ${redactAddress(twin.url)}` };
    counted.push({ url, port, addresses });
    return { url };
  });
}
