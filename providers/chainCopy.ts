import { type ChainCopied, copyChain } from "../core/chainCopy/chainCopy.ts";
import { type ChainCopyInputs, type CopyRequest, createChainCopyInputs } from "../core/chainCopy/copyInputs.ts";
import { createNodeAccess } from "../core/chainCopy/copyNodes.ts";
import { isSameDisk } from "../core/ssh/publicKey.ts";
import { systemClock } from "../core/util/clock.ts";
import { say } from "../core/util/printable.ts";
import { defineResource } from "./runtime/dynamicResource.ts";
import type { ProviderRun } from "./runtime/provider.ts";
import { type HostIdentity, readStackConfig } from "./runtime/stackConfig.ts";

/**
 * Copies the old host's chain to the new host's node before the sync gate, if the stack asks for it
 * (docs/sync.md). create and update copy once per host, and once for each confirmation after the gate, if this run
 * found the node not synced; after a failure the next run resumes. delete does nothing: the step chainCopyAway removes
 * what failed copies left.
 */
export class ChainCopy extends defineResource<CopyTriggers, ChainCopied, ChainCopyInputs>({
  type: "ChainCopy",
  prepare: (triggers) => createChainCopyInputs(readStackConfig(triggers.stack), triggers),
  create: (_triggers, run) => runCopy(run),
  update: async (olds, news, run) => (isCopyDone(olds, news) ? (run.kept as ChainCopied) : runCopy(run)),
  outputs: { outcome: "plain" },
}) {}

interface CopyTriggers extends HostIdentity, CopyRequest {
  readonly oldHost: Pick<HostIdentity, "address" | "hostKey">;
  /** The operator's confirmation of a copy to a host that has passed its gate (pillar-host:sync.copyAgain). */
  readonly again?: number | undefined;
}

type Known = Omit<CopyTriggers, "oldHost" | "again" | "stack"> & Partial<ChainCopied>;

/** True if an update has nothing to do on the host. A killed run may have left its node stopped (`begun`). */
export function isCopyDone(olds: Known, news: Known): boolean {
  return olds.outcome !== undefined && isSameDisk(olds, news) && news.found === undefined && news.begun === undefined;
}

function runCopy({ signal, prepare }: ProviderRun<ChainCopyInputs>): Promise<ChainCopied> {
  const inputs = prepare();
  const access = createNodeAccess(inputs);
  return copyChain(inputs, { ...systemClock, ...access, say: (line) => say(`chain copy: ${line}`), signal });
}
