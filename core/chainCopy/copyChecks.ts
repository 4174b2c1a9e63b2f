import { isIP } from "node:net";
import { openNodeChain } from "../chain/chain";
import type { NodeTarget } from "../chain/node";
import { readNodeVersion } from "../chain/nodeVersion";
import { type ChainExcerpt, compareChains, readOlderMomentums } from "../chain/sameChain";
import { createConnection } from "../ssh/connection";
import { markOwn } from "../ssh/foreign";
import { isOneMachine } from "../ssh/publicKey";
import { findSshdFaults, parseSshd } from "../ssh/sshdFaults";
import type { WitnessSources } from "../sync/chainSources";
import type { NodeStatus } from "../sync/nodeStatus";
import { commandsFor } from "../util/commands";
import { formatProblem } from "../util/problem";
import { formatSize } from "../util/sizeText";
import { formatDuration } from "../util/timeText";
import { withTimeout } from "../util/withTimeout";
import { type ChainFacts, findCopyProblems, type Pair, parseChainFacts } from "./chainFacts";
import type { CopyError, CopyHosts } from "./copyHosts";
import type { ChainCopyInputs } from "./inputs";

/** Access to nodes, which tests replace. */
export interface NodeAccess {
  /** Reads a node's status. @param isOld for the old host's node, which must not be its own witness */
  readNodeStatus(target: NodeTarget, isOld?: "old"): Promise<NodeStatus>;
  /** Reads momentums at a height that both nodes have. */
  readChains(old: NodeTarget, fresh: NodeTarget): Promise<Pair<ChainExcerpt>>;
  version(target: NodeTarget): Promise<string>;
}

const limit = 60_000;

/** Returns access to the real nodes. Each lookup opens its own connections and closes them. */
export function createNodeAccess(readNodeStatus: NodeAccess["readNodeStatus"]): NodeAccess {
  return {
    readNodeStatus,
    version: async (target) => {
      const connection = createConnection(target.ssh);
      try {
        return await withTimeout(readNodeVersion(target, connection), limit, `no answer within ${limit / 1000} s`);
      } finally {
        connection.drop();
      }
    },
    readChains: async (old, fresh) => {
      const clients = {
        old: openNodeChain("the old host's node", old),
        new: openNodeChain("the new host's node", fresh),
      };
      try {
        const newest = { old: (await clients.old.newest()).momentum, new: (await clients.new.newest()).momentum };
        const read = async (side: "old" | "new"): Promise<ChainExcerpt> => {
          const own: ChainExcerpt = { newest: newest[side], recent: [] };
          const found = await readOlderMomentums(own, clients[side], [newest.old.height, newest.new.height], limit);
          return "fault" in found ? own : { ...own, older: found.older };
        };
        return { old: await read("old"), new: await read("new") };
      } finally {
        clients.old.close();
        clients.new.close();
      }
    },
  };
}

/**
 * Returns the witnesses for a lookup at one node. The old node is a witness of the new node's chain; a reference, if
 * configured, of the old node's. The new node is never a witness: it may only have momentums from before a fork.
 */
export function copyLookup(inputs: ChainCopyInputs, isOld?: "old"): WitnessSources {
  const { references, tolerance, isChainUnverified, old } = inputs;
  if (isOld === undefined) return { references, tolerance, isChainUnverified, witnessHost: old.node };
  return { references, tolerance, isChainUnverified: isChainUnverified === true || references.length === 0 };
}

/** Checks both hosts and nodes, and says what the copy will do. @throws Error that lists every reason against it */
export async function checkBefore(
  inputs: ChainCopyInputs,
  hosts: CopyHosts,
  looks: NodeAccess,
  say: (line: string) => void,
): Promise<void> {
  const addresses = { old: inputs.old.host.ssh.address, new: inputs.new.host.ssh.address };
  const readFacts = async (side: "old" | "new") =>
    parseChainFacts(await hosts.call(side, "chain_facts"), addresses[side]);
  const facts = { old: await readFacts("old"), new: await readFacts("new") };
  const faults: string[] = [];
  if (isOneMachine(inputs.old.host.ssh, inputs.new.host.ssh))
    faults.push(`${addresses.old} and ${addresses.new} are one machine`);
  const status = await looks.readNodeStatus(inputs.old.node, "old");
  // A node that is older than the network requires counts as not synced: it may be on another chain.
  if (!status.synced) faults.push(`the old host's node is not synced: ${status.why}`);
  const versionOf = (side: "old" | "new") =>
    looks.version(inputs[side].node).catch((error: Error) => {
      faults.push(`the ${side} host's node does not report its version: ${error.message}`);
      return undefined;
    });
  const versions = { old: await versionOf("old"), new: await versionOf("new") };
  faults.push(...(await findSshdProblems(inputs, hosts)), ...findCopyProblems(facts, versions, addresses));
  const chainFault = await findChainFault(inputs, looks);
  if (chainFault !== undefined) faults.push(chainFault);
  if (faults.length > 0)
    throw Object.assign(new Error(refusedText(inputs, faults)), { isRefused: true } satisfies Partial<CopyError>);
  for (const line of planLines(inputs, facts, versions.new ?? "")) say(line);
}

async function findChainFault({ old, new: fresh }: ChainCopyInputs, looks: NodeAccess): Promise<string | undefined> {
  const unknown = (why: string) => `the nodes' chains cannot be compared: ${why}`;
  try {
    const chains = await looks.readChains(old.node, fresh.node);
    const { verdict, height } = compareChains(chains.old, chains.new);
    if (verdict === "other") return `both nodes are on different chains: their momentums ${height} differ`;
    return verdict === "unsaid" ? unknown(`one node does not return momentum ${height}`) : undefined;
  } catch (error) {
    return unknown((error as Error).message);
  }
}

/**
 * Returns what the copy needs and the old host's sshd refuses. Empty if the new host's address, on which sshd's rules
 * depend, is unknown.
 */
async function findSshdProblems({ old, new: fresh }: ChainCopyInputs, hosts: CopyHosts): Promise<string[]> {
  const [{ user, address }, from] = [old.host.ssh, fresh.host.ssh.address];
  if (isIP(from) === 0) return [];
  const printed = await hosts.call("old", "sshd_settings", markOwn({ from })).catch(() => "");
  const settings = parseSshd(printed, user, from);
  const place = old.node.via === "ssh" ? `${old.node.address}:${old.node.port}` : undefined;
  const refusals = settings ? findSshdFaults(settings, place) : [];
  return refusals.map(
    ({ found, needed }) => `the sshd of ${address} refuses what the copy needs: ${found}; needed: ${needed}`,
  );
}

function refusedText({ stack, old, new: fresh }: ChainCopyInputs, faults: readonly string[]): string {
  const run = commandsFor(stack);
  return formatProblem({
    what: `the chain is not copied from ${old.host.ssh.address} to ${fresh.host.ssh.address}; nothing was changed on either host`,
    found: faults,
    next: [
      `Correct that, then: ${run.up}`,
      `Or let the node sync from the network, from what it has: ${run.set("sync.from", "network")} && ${run.up}`,
    ],
  });
}

function planLines(inputs: ChainCopyInputs, { old, new: fresh }: Pair<ChainFacts>, version: string): string[] {
  const { address } = inputs.old.host.ssh;
  const left = Math.max(0, old.bytes - fresh.staged);
  const names = Object.entries(old.databases).flatMap(([name, found]) => (found === "there" ? [name] : []));
  const limited = inputs.limitMbps > 0 ? `${inputs.limitMbps} Mbit/s at most` : "no limit";
  const mbps = inputs.limitMbps || 100;
  return [
    `reads ${names.join(", ")} in ${inputs.old.dataDir} of ${address}: ${formatSize(old.bytes)}, to ${inputs.new.host.ssh.address}, ${formatDuration((left * 8) / (mbps * 1000))} at ${mbps} Mbit/s (${limited})`,
    `nothing is stopped on ${address}, and no key, wallet or configuration is copied; its load is ${old.load}, ${formatSize(old.free)} of disk free`,
    `both nodes are on one chain, and the new host's node, ${version}, can read the old host's databases`,
  ];
}
