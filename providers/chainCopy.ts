import { copyLookup, nodeLooks } from "../core/chainCopy/before";
import { copyChain } from "../core/chainCopy/chainCopy";
import type { ChainCopied, ChainCopyInputs } from "../core/chainCopy/inputs";
import { forgetCopy } from "../core/chainCopy/tidy";
import { isSameHost } from "../core/ssh/sameHost";
import { lookAtNode } from "../core/sync/nodeStatus";
import { systemClock } from "../core/util/clock";
import { say } from "../core/util/say";
import { defineResource } from "./runtime/dynamicResource";
import { giveUp } from "./runtime/provider";
import type { ProviderRun } from "./runtime/resourceTable";

/**
 * Brings the old host's chain to the new host's node before the sync gate, where the stack wants that (docs/operating.md).
 *
 * create and update do it, once for a host; after a failure the next run goes on. delete takes away what copies that failed
 * have left; a node that runs with one is left alone.
 */
export class ChainCopy extends defineResource<ChainCopyInputs, ChainCopied>({
  type: "ChainCopy",
  id: () => "chain-copy",
  create: runCopy,
  update: async (olds, news, run) => findEarlierCopy(olds, news) ?? runCopy(news, run),
  delete: async (olds) => {
    if (olds.outcome === undefined) await forgetCopy(olds, { ...systemClock, say: sayOfCopy });
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
    manifest: "plain",
    extraBytes: "plain",
  },
}) {}

function sayOfCopy(line: string): void {
  say(`chain copy: ${line}`);
}

async function runCopy(inputs: ChainCopyInputs, { signal }: ProviderRun): Promise<ChainCopied> {
  const looks = nodeLooks((target, isOld) => lookAtNode(target, copyLookup(inputs, isOld)));
  try {
    return await copyChain(inputs, { ...systemClock, ...looks, say: sayOfCopy, signal });
  } catch (error) {
    // Kept, so that what is left of it is taken away where the stack does not want it any more.
    throw giveUp(error as Error, {});
  }
}

function findEarlierCopy(olds: ChainCopyInputs & Partial<ChainCopied>, news: ChainCopyInputs): ChainCopied | undefined {
  const { outcome, at, from, files, bytes, seconds, height, manifest, extraBytes } = olds;
  if (outcome === undefined || at === undefined || from === undefined) return undefined;
  if (!isSameHost(olds.new.host.ssh, news.new.host.ssh)) return undefined;
  return { outcome, at, from, files, bytes, seconds, height, manifest, extraBytes };
}
