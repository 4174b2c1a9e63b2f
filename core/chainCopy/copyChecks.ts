import { formatVersionFault } from "../chain/requiredVersions.ts";
import { compareChains } from "../chain/sameChain.ts";
import { compareNodeVersions } from "../chain/versions.ts";
import type { FactsByName } from "../host/facts.ts";
import type { WhichHost } from "../host/rootPair.ts";
import { isOneMachine } from "../ssh/publicKey.ts";
import { commandsFor } from "../util/commands.ts";
import { ProblemError } from "../util/problem.ts";
import { formatSize } from "../util/timeText.ts";
import { type CopyRun, readCopyFacts } from "./copyHosts.ts";
import type { ChainCopyInputs } from "./copyInputs.ts";

const gigabyte = 1e9;
/** Bytes that must stay free on the old host: its node continues to write. */
export const minFreeBytes = gigabyte / 2;

export type ChainFacts = FactsByName["chain"];

/** Checks both hosts and nodes, and says what the copy will do. @throws Error that lists every reason against it */
export async function checkBefore(run: CopyRun): Promise<void> {
  const { inputs } = run;
  const addresses = { old: inputs.old.host.ssh.address, new: inputs.new.host.ssh.address };
  const readFacts = async (side: WhichHost) => (await readCopyFacts(run, side, ["chain"])).chain;
  const facts = { old: await readFacts("old"), new: await readFacts("new") };
  const faults: string[] = [];
  if (isOneMachine(inputs.old.host.ssh, inputs.new.host.ssh))
    faults.push(`${addresses.old} and ${addresses.new} are one machine`);
  const status = await run.readNodeStatus("old");
  // A node that is older than the network requires counts as not synced: it may be on another chain.
  if (!status.synced) faults.push(`the old host's node is not synced: ${status.why}`);
  const readVersion = (side: WhichHost) =>
    run.readVersion(side).catch((error: Error) => {
      faults.push(`the ${side} host's node does not report its version: ${error.message}`);
      return undefined;
    });
  // A node whose database keeps it from starting answers nothing: then the old node's witnesses decide on the chain, and
  // the copy stays only if the new node follows the old one with it.
  const isSilent = run.standstill !== undefined && run.standstill.height === undefined;
  const versions = { old: await readVersion("old"), new: isSilent ? undefined : await readVersion("new") };
  faults.push(...findCopyProblems(facts, versions, addresses));
  const [gap] = await run.readVersionGaps().catch(() => []);
  if (gap?.isSure) faults.push(`${addresses.new}: ${formatVersionFault(gap)}`);
  if (!isSilent) faults.push(...(await findChainFaults(run)));
  if (faults.length > 0) throw createCopyRefusal(inputs, faults);
  for (const line of formatPlan(inputs, facts.old)) run.say(line);
}

type Pair<T> = Readonly<Record<WhichHost, T>>;

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

async function findChainFaults({ readChains }: CopyRun): Promise<string[]> {
  const unknown = (why: string) => [`the nodes' chains cannot be compared: ${why}`];
  try {
    const chains = await readChains();
    const { verdict, height } = compareChains(chains.old, chains.new);
    if (verdict === "other") return [`both nodes are on different chains: their momentums ${height} differ`];
    return verdict === "unsaid" ? unknown(`one node does not return momentum ${height}`) : [];
  } catch (error) {
    return unknown((error as Error).message);
  }
}

function createCopyRefusal({ stack, old, new: fresh }: ChainCopyInputs, faults: readonly string[]): ProblemError {
  const { up, set } = commandsFor(stack);
  return new ProblemError({
    kind: "refusedCopy",
    what: `the chain is not copied from ${old.host.ssh.address} to ${fresh.host.ssh.address}; nothing was changed on either host`,
    found: faults,
    next: [
      `Correct that, then: ${up}`,
      `Or let the node sync from the network, from what it has: ${set("sync.from", "network")} && ${up}`,
    ],
  });
}

function formatPlan({ old: { dataDir, host }, new: fresh }: ChainCopyInputs, { bytes, databases }: ChainFacts) {
  const { address } = host.ssh;
  const names = Object.entries(databases).flatMap(([name, found]) => (found === "there" ? [name] : []));
  return [
    `reads ${names.join(", ")} in ${dataDir} of ${address}: ${formatSize(bytes)}, to ${fresh.host.ssh.address}`,
    `nothing is stopped on ${address}, and no key, wallet or configuration is copied`,
  ];
}
