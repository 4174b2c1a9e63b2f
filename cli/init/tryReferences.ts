import { openChainView } from "../../core/chain/chainView.ts";
import { countNodesOnce } from "../../core/chain/distinctNodes.ts";
import { readNode } from "../../core/chain/reading.ts";
import { findFirstFork, formatHashes, isSameChain, readSharedHeights } from "../../core/chain/sameChain.ts";
import { readRequiredVersions } from "../../core/chain/versionRules.ts";
import { ProblemError } from "../../core/util/problem.ts";
import type { Answers } from "./stackText.ts";

/** Public nodes that other wallets and tools use. Nobody asks them unless the operator names them. */
export const publicNodes = ["https://my.hc1node.com:35997", "https://node.zenonhub.io:35997"];

/**
 * Asks independent nodes for height, version and hash, and prints what they say. @throws ProblemError if one does not
 * answer, is too old, is another one or a host of this move under a second name, or if they are on different chains
 */
export async function tryReferences(
  references: readonly string[],
  { address = "", hostKey = "" }: Pick<Answers, "address" | "hostKey">,
  oldHost: Answers["oldHost"],
): Promise<readonly string[]> {
  // The old host's node is not asked here, and is known so that no reference is this node.
  const ssh = oldHost && { ...oldHost, port: oldHost.port ?? 22, user: oldHost.user ?? "root", proxy: undefined };
  const view = openChainView(
    { ssh: { address, hostKey }, versions: readRequiredVersions() },
    { references, oldHost: ssh && { ssh, via: "ssh", address: "127.0.0.1", port: 35997 } },
  );
  const newest = await view.read(
    (client) =>
      readNode(client, async () => ({ version: await client.version().catch(() => "version hidden") }), 10_000),
    ["reference"],
  );
  view.close();
  const { counted, notes } = countNodesOnce(await readSharedHeights(newest, 5000), isSameChain);
  for (const each of counted)
    console.error(`${each.client.name} answers: height ${each.newest.height}, ${each.version}`);
  const fork = findFirstFork(counted);
  if (fork) notes.push(`they are on different chains: ${formatHashes([fork.one, fork.other], fork.height)}`);
  if (notes.length === 0) return references;
  throw new ProblemError({
    what: "not all of these nodes can be witnesses",
    found: notes,
    needed: "name others, or only those that can",
  });
}
