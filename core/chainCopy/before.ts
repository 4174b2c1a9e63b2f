import { isIP } from "node:net";
import { chainOfNode } from "../chain/chain";
import type { NodeTarget } from "../chain/node";
import { nodeVersion } from "../chain/nodeVersion";
import { compareChains, olderOf, type ShownChain } from "../chain/sameChain";
import { createConnection } from "../ssh/connection";
import { own } from "../ssh/foreign";
import { isOneMachine } from "../ssh/sameHost";
import { parseSshd, sshdFaults } from "../ssh/sshdFaults";
import type { WitnessSources } from "../sync/chainSources";
import type { NodeStatus } from "../sync/nodeStatus";
import { type ReferenceAnswers, readReferences } from "../sync/references";
import { commandsFor } from "../util/commands";
import { formatProblem } from "../util/problem";
import { sizeText } from "../util/sizeText";
import { withTimeout } from "../util/withTimeout";
import { expected } from "./copyProgress";
import { type ChainFacts, copyFaults, parseChainFacts } from "./facts";
import type { ChainCopyInputs } from "./inputs";
import { findOldVersionFault } from "./oldVersion";
import type { ChainSides, SideError } from "./sides";

/** Access to nodes, which tests replace. */
export interface NodeLooks {
  /** Reads a node's status. @param isOld for the old host's node, which must not be its own witness */
  lookAtNode(target: NodeTarget, isOld?: "old"): Promise<NodeStatus>;
  /** Reads momentums at a height that both nodes have. */
  showChains(old: NodeTarget, fresh: NodeTarget): Promise<{ readonly old: ShownChain; readonly new: ShownChain }>;
  version(target: NodeTarget): Promise<string>;
  /** Reads what references and a node show of their chains. Never throws. */
  readReferences(references: readonly string[], target: NodeTarget): Promise<ReferenceAnswers>;
}

const limit = 60_000;

/** Returns access to the real nodes. Each lookup opens its own connections and closes them. */
export function nodeLooks(lookAtNode: NodeLooks["lookAtNode"]): NodeLooks {
  return {
    lookAtNode,
    version: async (target) => {
      const connection = createConnection(target.ssh);
      try {
        return await withTimeout(nodeVersion(target, connection), limit, `no answer within ${limit / 1000} s`);
      } finally {
        connection.drop();
      }
    },
    readReferences: async (references, target) => {
      const client = chainOfNode("the old host's node", target);
      try {
        const own = await client.newest().catch(() => undefined);
        const excluded = [{ host: target.ssh.address, what: "the old host itself" }];
        return await readReferences(references, own && { newest: own.momentum, client }, limit, { excluded });
      } finally {
        client.close();
      }
    },
    showChains: async (old, fresh) => {
      const clients = [chainOfNode("the old host's node", old), chainOfNode("the new host's node", fresh)] as const;
      try {
        const newest = await Promise.all(clients.map((client) => client.newest()));
        const tops = newest.map(({ momentum }) => momentum.height);
        const shown = await Promise.all(
          clients.map(async (client, at) => {
            const own: ShownChain = { newest: newest[at]?.momentum ?? { height: 0, hash: "" }, recent: [] };
            const found = await olderOf(own, client, tops, limit);
            return "fault" in found ? own : { ...own, older: found.older };
          }),
        );
        const [one, other] = shown as [ShownChain, ShownChain];
        return { old: one, new: other };
      } finally {
        for (const client of clients) client.close();
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

export interface Before {
  readonly old: ChainFacts;
  readonly new: ChainFacts;
}

/** Checks both hosts and nodes, and says what the copy will do. @throws Error that lists every reason against it */
export async function checkBefore(
  inputs: ChainCopyInputs,
  sides: ChainSides,
  looks: NodeLooks,
  say: (line: string) => void,
): Promise<Before> {
  const addresses = { old: inputs.old.host.ssh.address, new: inputs.new.host.ssh.address };
  const facts = async (side: "old" | "new") => parseChainFacts(await sides.call(side, "chain_facts"), addresses[side]);
  const faults: string[] = [];
  if (isOneMachine(inputs.old.host.ssh, inputs.new.host.ssh))
    faults.push(`${addresses.old} and ${addresses.new} are one machine`);
  const [old, fresh] = await Promise.all([facts("old"), facts("new")]);
  const status = await looks.lookAtNode(inputs.old.node, "old");
  const { gaps = [] } = status;
  if (!status.synced && gaps.length === 0) faults.push(`the old host's node is not synced: ${status.why}`);
  // A node that is too old may be copied if witnesses confirm its chain.
  const seen = gaps.length > 0 ? await looks.readReferences(inputs.references, inputs.old.node) : { readings: [] };
  const oldVersionFault = findOldVersionFault(gaps, seen);
  if (oldVersionFault !== undefined) faults.push(oldVersionFault);
  const versionOf = (side: "old" | "new") =>
    looks.version(inputs[side].node).catch((error: Error) => {
      faults.push(`the ${side} host's node does not tell its version: ${error.message}`);
      return undefined;
    });
  const versions = { old: await versionOf("old"), new: await versionOf("new") };
  const { old: before, new: after } = versions;
  const known = before !== undefined && after !== undefined ? { old: before, new: after } : { old: "", new: "" };
  faults.push(...(await sshdFaultsOf(inputs, sides)));
  faults.push(...copyFaults(old, fresh, known, addresses));
  await looks.showChains(inputs.old.node, inputs.new.node).then(
    (chains) => {
      const { verdict, height } = compareChains(chains.old, chains.new);
      if (verdict === "other") faults.push(`both nodes are on different chains: their momentums ${height} differ`);
      if (verdict === "unsaid")
        faults.push(`whether both nodes are on one chain is not told: no momentum ${height} of one of them`);
    },
    (error: Error) => faults.push(`whether both nodes are on one chain is not told: ${error.message}`),
  );
  if (faults.length > 0)
    throw Object.assign(new Error(refusedText(inputs, faults)), { refused: true } satisfies Partial<SideError>);
  for (const line of planLines(inputs, old, fresh, after ?? "")) say(line);
  return { old, new: fresh };
}

/**
 * Returns what the old host's sshd refuses to the copy. Empty without the new host's address, which sshd's rules need.
 */
async function sshdFaultsOf({ old, new: fresh }: ChainCopyInputs, sides: ChainSides): Promise<string[]> {
  const [{ user, address }, from] = [old.host.ssh, fresh.host.ssh.address];
  if (isIP(from) === 0) return [];
  const printed = await sides.call("old", "sshd_settings", own({ from })).catch(() => "");
  const settings = parseSshd(printed, user, from);
  const place = old.node.via === "ssh" ? `${old.node.address}:${old.node.port}` : undefined;
  const refusals = settings ? sshdFaults(settings, place) : [];
  return refusals.map(
    ({ found, needed }) => `the sshd of ${address} refuses what the copy asks: ${found}; needed: ${needed}`,
  );
}

function refusedText({ stack, old, new: fresh }: ChainCopyInputs, faults: readonly string[]): string {
  const run = commandsFor(stack);
  return formatProblem({
    what: `the chain is not copied from ${old.host.ssh.address} to ${fresh.host.ssh.address}; nothing was changed on either`,
    found: faults,
    next: [
      `Put that right, then: ${run.up}`,
      `Or let the node sync from the network, from what it has: ${run.set("sync.from", "network")} && ${run.up}`,
    ],
  });
}

function planLines(inputs: ChainCopyInputs, old: ChainFacts, fresh: ChainFacts, version: string): string[] {
  const { address } = inputs.old.host.ssh;
  const left = Math.max(0, old.bytes - fresh.staged);
  const names = Object.entries(old.databases).flatMap(([name, found]) => (found === "there" ? [name] : []));
  const limited = inputs.limitMbps > 0 ? `${inputs.limitMbps} Mbit/s at most` : "no limit";
  return [
    `reads ${names.join(", ")} in ${inputs.old.dataDir} of ${address}: ${sizeText(old.bytes)}, to ${inputs.new.host.ssh.address}, ${expected(left, inputs.limitMbps || 100)} at ${inputs.limitMbps || 100} Mbit/s (${limited})`,
    `nothing is stopped on ${address}, and no key, wallet or configuration of it travels; load there ${old.load}, ${sizeText(old.free)} free`,
    `both nodes are on one chain, and the new one's ${version} reads what the old one wrote`,
  ];
}
