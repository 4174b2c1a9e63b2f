import { type ChainCopied, copyChain } from "../core/chainCopy/chainCopy";
import { removeCopy } from "../core/chainCopy/copyHosts";
import { type ChainCopyInputs, createNodeAccess } from "../core/chainCopy/copyNodes";
import { isSameHost } from "../core/ssh/publicKey";
import { systemClock } from "../core/util/clock";
import { say } from "../core/util/printable";
import { defineResource } from "./runtime/dynamicResource";
import { keepResults, type ProviderRun } from "./runtime/provider";

/**
 * Copies the old host's chain to the new host's node before the sync gate, if the stack asks for it
 * (docs/operating.md).
 * create and update copy once per host; after a failure the next run resumes. delete removes what failed copies left,
 * and does not touch a node that runs with a copied chain.
 */
export class ChainCopy extends defineResource<ChainCopyInputs, ChainCopied>({
  type: "ChainCopy",
  id: () => "chain-copy",
  create: runCopy,
  update: async (olds, news, run) => {
    const isDone = olds.outcome !== undefined && isSameHost(olds.new.host.ssh, news.new.host.ssh);
    return isDone ? (run.kept as ChainCopied) : runCopy(news, run);
  },
  delete: async (olds) => {
    if (olds.outcome === undefined) await removeCopy(olds, sayOfCopy);
  },
  secretInputs: ["old", "new"],
  outputs: {
    outcome: "plain",
    at: "plain",
    from: "plain",
    files: "plain",
    bytes: "plain",
    seconds: "plain",
    height: "plain",
  },
}) {}

function sayOfCopy(line: string): void {
  say(`chain copy: ${line}`);
}

async function runCopy(inputs: ChainCopyInputs, { signal }: ProviderRun): Promise<ChainCopied> {
  try {
    return await copyChain(inputs, { ...systemClock, ...createNodeAccess(inputs), say: sayOfCopy, signal });
  } catch (error) {
    // Stays in the state, so that the leftovers are removed once the stack no longer asks for the copy.
    throw keepResults(error as Error, {});
  }
}
