import { compareNodeVersions } from "../chain/versions";
import { parseFields } from "../util/fields";
import { formatSize } from "../util/sizeText";

/** Facts of a host before the copy (core/steps/chainCopy/owner.sh). */
export interface ChainFacts {
  /** Time at which this program saw the node synced. */
  readonly synced?: string | undefined;
  /** State of each node database's place: `there`, `none`, `link`, `mount`, `no directory` (something else is there). */
  readonly databases: Readonly<Record<"nom" | "consensus" | "cache", string>>;
  readonly bytes: number;
  readonly free: number;
  readonly staged: number;
  /** Hashes of the network key and of the producer address. */
  readonly networkKey?: string | undefined;
  readonly producer?: string | undefined;
  readonly load: string;
  readonly lacks: readonly string[];
}

/** Parses the output of chain_facts. @throws if it was cut off */
export function parseChainFacts(printed: string, address: string): ChainFacts {
  const fields = parseFields(printed);
  const all = new Map(fields);
  if (all.get("end") !== "yes") throw new Error(`${address}: its answer was cut off`);
  const text = (name: string) => all.get(name) ?? "";
  const number = (name: string) => (/^\d+$/.test(text(name)) ? Number(text(name)) : 0);
  return {
    synced: all.get("synced"),
    databases: { nom: text("nom"), consensus: text("consensus"), cache: text("cache") },
    bytes: number("bytes"),
    free: number("free"),
    staged: number("staged"),
    networkKey: all.get("networkKey"),
    producer: all.get("producer"),
    load: text("load"),
    lacks: [...fields].flatMap(([name, value]) => (name === "lacks" ? [value] : [])),
  };
}

const gigabyte = 1e9;
/** Bytes that must stay free on the old host: its node continues to write. */
export const minFreeBytes = gigabyte / 2;

/** A value for each host of a copy. */
export interface Pair<T> {
  readonly old: T;
  readonly new: T;
}

/** Returns what stands against a copy. A version is undefined if the node does not report it. */
export function findCopyProblems(
  { old, new: fresh }: Pair<ChainFacts>,
  versions: Pair<string | undefined>,
  addresses: Pair<string>,
): string[] {
  const isSame = (one: string | undefined, other: string | undefined) => one !== undefined && one === other;
  const isOlder = versions.old && versions.new && (compareNodeVersions(versions.old, versions.new) ?? 1) > 0;
  // Beside the copy, the node keeps its own databases.
  const needed = old.bytes * 1.1 + gigabyte / 2 - Math.min(fresh.staged, old.bytes);
  const problems = [
    isSame(old.networkKey, fresh.networkKey) &&
      `both hosts' nodes share one network key: on ${addresses.new}, stop the node, move network-private-key away and start it`,
    isSame(old.producer, fresh.producer) &&
      `both hosts' nodes share one producer key: two nodes that produce with one key harm the Pillar. Give ${addresses.new} a key of its own`,
    ...findPlaceProblems(old, addresses.old),
    ...findPlaceProblems(fresh, addresses.new),
    ...(["nom", "consensus"] as const).map(
      (name) => old.databases[name] === "none" && `${addresses.old} has no ${name} in its node's data directory`,
    ),
    old.free < minFreeBytes &&
      `${addresses.old} has ${formatSize(old.free)} free; needed ${formatSize(minFreeBytes)}: until the copy ends, files that its node deletes keep their space`,
    fresh.free < needed &&
      `${addresses.new} has ${formatSize(fresh.free)} free; needed ${formatSize(needed)} for the ${formatSize(old.bytes)} of the chain`,
    isOlder &&
      `the old host's node has version ${versions.old}, the new host's ${versions.new}: needed the same, or a newer one on the new host`,
  ];
  return problems.filter((problem) => typeof problem === "string" && problem !== "") as string[];
}

function findPlaceProblems({ lacks, databases }: ChainFacts, address: string): string[] {
  const odd = Object.entries(databases).filter(([, found]) => found !== "there" && found !== "none");
  return [
    ...lacks.map((program) => `${address} lacks ${program}: install it there`),
    ...odd.map(
      ([name, found]) => `${address}: ${name} in the node's data directory: found ${found}; needed: a plain directory`,
    ),
  ];
}
