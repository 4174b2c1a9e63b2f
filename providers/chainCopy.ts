import { type ChainCopied, copyChain } from "../core/chainCopy/chainCopy.ts";
import { type ChainCopyInputs, createNodeAccess } from "../core/chainCopy/copyNodes.ts";
import { isSameDisk } from "../core/ssh/publicKey.ts";
import type { SshTarget } from "../core/ssh/ssh.ts";
import { systemClock } from "../core/util/clock.ts";
import { say } from "../core/util/printable.ts";
import { defineResource } from "./runtime/dynamicResource.ts";
import type { ProviderRun } from "./runtime/provider.ts";

/**
 * Copies the old host's chain to the new host's node before the sync gate, if the stack asks for it
 * (docs/operating.md). create and update copy once per host, and once for each confirmation after the gate, if this run
 * found the node not synced; after a failure the next run resumes. delete does nothing: the step chainCopyAway removes
 * what failed copies left.
 */
export class ChainCopy extends defineResource<ChainCopyInputs, ChainCopied>({
  type: "ChainCopy",
  id: () => "chain-copy",
  create: runCopy,
  update: async (olds, news, run) => (isCopyDone(olds, news) ? (run.kept as ChainCopied) : runCopy(news, run)),
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

type Known = Pick<ChainCopyInputs, "again" | "begun"> & {
  readonly new: { readonly host: { readonly ssh: Pick<SshTarget, "address" | "hostKey" | "setUp"> } };
};

/** True if an update has nothing to do on the host. A killed run may have left its node stopped (`begun`). */
export function isCopyDone(olds: Known & Partial<Pick<ChainCopied, "outcome">>, { again, begun, ...news }: Known) {
  const isCopied = olds.outcome !== undefined && isSameDisk(olds.new.host.ssh, news.new.host.ssh);
  return isCopied && again?.found === undefined && begun === undefined;
}

function runCopy(inputs: ChainCopyInputs, { signal }: ProviderRun): Promise<ChainCopied> {
  const access = createNodeAccess(inputs);
  return copyChain(inputs, { ...systemClock, ...access, say: (line) => say(`chain copy: ${line}`), signal });
}
