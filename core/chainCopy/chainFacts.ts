import { compareNodeVersions } from "../chain/versions";
import { parseFields } from "../util/fields";
import { formatSize } from "../util/sizeText";

/** Facts of a host before the copy (core/steps/chainCopy/owner.sh). */
export interface ChainFacts {
  /** Stack and token of the copy that runs on this host. */
  readonly owner: string;
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
  const all = new Map(parseFields(printed));
  if (all.get("end") !== "yes") throw new Error(`${address}: its answer was cut off`);
  const text = (name: string) => all.get(name) ?? "";
  const number = (name: string) => (/^\d+$/.test(text(name)) ? Number(text(name)) : 0);
  return {
    owner: text("owner"),
    synced: all.get("synced"),
    databases: { nom: text("nom"), consensus: text("consensus"), cache: text("cache") },
    bytes: number("bytes"),
    free: number("free"),
    staged: number("staged"),
    networkKey: all.get("networkKey"),
    producer: all.get("producer"),
    load: text("load"),
    lacks: [...all.keys()].filter((name) => name.startsWith("lacks.")).map((name) => name.slice("lacks.".length)),
  };
}

const gigabyte = 1e9;
/** Bytes that must stay free on the old host: its node continues to write. */
export const minFreeBytes = gigabyte / 2;
/** Each is undefined if the node does not report its version. */
interface NodeVersions {
  readonly old: string | undefined;
  readonly new: string | undefined;
}

export function findCopyProblems(
  old: ChainFacts,
  fresh: ChainFacts,
  versions: NodeVersions,
  { old: oldAddress, new: newAddress }: { readonly old: string; readonly new: string },
): string[] {
  const faults: string[] = [];
  const when = (is: boolean, what: string) => {
    if (is) faults.push(what);
  };
  const isSame = (one: string | undefined, other: string | undefined) => one !== undefined && one === other;
  when(fresh.owner !== "" && old.owner === fresh.owner, `${oldAddress} and ${newAddress} are one machine`);
  when(
    isSame(old.networkKey, fresh.networkKey),
    `both hosts' nodes share one network key: on ${newAddress}, stop the node, move network-private-key away and start it`,
  );
  when(
    isSame(old.producer, fresh.producer),
    `both hosts' nodes share one producer key: two nodes that produce with one key harm the Pillar. Give ${newAddress} a key of its own`,
  );
  for (const [address, side] of [
    [oldAddress, old],
    [newAddress, fresh],
  ] as const) {
    when(side.lacks.length > 0, `${address} lacks ${side.lacks.join(", ")}: install it there`);
    for (const [name, found] of Object.entries(side.databases)) {
      const isOdd = found !== "there" && found !== "none";
      when(isOdd, `${address}: ${name} in the node's data directory: found ${found}; needed: a plain directory`);
    }
  }
  for (const name of ["nom", "consensus"] as const)
    when(old.databases[name] === "none", `${oldAddress} has no ${name} in its node's data directory`);
  when(
    old.free < minFreeBytes,
    `${oldAddress} has ${formatSize(old.free)} free; needed ${formatSize(minFreeBytes)}: until the copy ends, files that its node deletes keep their space`,
  );
  // Beside the copy, the node keeps its own databases.
  const needed = old.bytes * 1.1 + gigabyte / 2 - Math.min(fresh.staged, old.bytes);
  when(
    fresh.free < needed,
    `${newAddress} has ${formatSize(fresh.free)} free; needed ${formatSize(needed)} for the ${formatSize(old.bytes)} of the chain`,
  );
  const fault = versionFault(versions);
  if (fault !== undefined) faults.push(fault);
  return faults;
}

function versionFault({ old, new: fresh }: NodeVersions): string | undefined {
  if (old === undefined || fresh === undefined || (compareNodeVersions(old, fresh) ?? 1) <= 0) return undefined;
  return `the old host's node has version ${old}, the new host's ${fresh}: needed the same, or a newer one on the new host`;
}
