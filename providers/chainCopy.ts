import { createHostNode, createOldHost } from "../core/chain/configuredNode.ts";
import { type ChainCopied, copyChain } from "../core/chainCopy/chainCopy.ts";
import { type ChainCopyInputs, createNodeAccess } from "../core/chainCopy/copyNodes.ts";
import type { StackConfig } from "../core/config/config.ts";
import { createStackLogRef } from "../core/config/stackStore.ts";
import { createNewHost } from "../core/ssh/configuredLogin.ts";
import { isSameDisk } from "../core/ssh/publicKey.ts";
import { readChainCopyLibrary } from "../core/steps/libraries.ts";
import { formatStackIdentity } from "../core/steps/stepVariables.ts";
import { createChainSources } from "../core/sync/gateSettings.ts";
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
  id: () => "chain-copy",
  prepare: (triggers) => createChainCopyInputs(readStackConfig(triggers.stack), triggers),
  create: (_triggers, run) => runCopy(run),
  update: async (olds, news, run) => (isCopyDone(olds, news) ? (run.kept as ChainCopied) : runCopy(run)),
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

interface CopyTriggers extends HostIdentity {
  readonly oldHost: Pick<HostIdentity, "address" | "hostKey">;
  /** Time of the last copy that did not end; its remains are undone. */
  readonly begun?: string | undefined;
  /** The operator's confirmation of a copy to a host that has passed its gate (pillar-host:sync.copyAgain). */
  readonly again?: number | undefined;
  /** A new value in each run with a confirmation that found the node not synced; otherwise absent. */
  readonly found?: string | undefined;
}

type Known = Omit<CopyTriggers, "oldHost" | "again" | "stack"> & Partial<Pick<ChainCopied, "outcome">>;

/** True if an update has nothing to do on the host. A killed run may have left its node stopped (`begun`). */
export function isCopyDone(olds: Known, news: Known): boolean {
  return olds.outcome !== undefined && isSameDisk(olds, news) && news.found === undefined && news.begun === undefined;
}

function runCopy({ signal, prepare }: ProviderRun<ChainCopyInputs>): Promise<ChainCopied> {
  const inputs = prepare();
  const access = createNodeAccess(inputs);
  return copyChain(inputs, { ...systemClock, ...access, say: (line) => say(`chain copy: ${line}`), signal });
}

export function createChainCopyInputs(
  config: StackConfig,
  { address, hostKey, begun, found }: Omit<CopyTriggers, "oldHost" | "stack">,
): ChainCopyInputs {
  const { stack, sync, node, network, pillar } = config;
  const old = createOldHost(config);
  const fresh = createNewHost(config, address, hostKey);
  const { copyAgain: word } = sync;
  return {
    stack,
    identity: formatStackIdentity(stack, pillar.name),
    old,
    new: { host: fresh, node: createHostNode(config, fresh.ssh), service: node.service, dataDir: node.dataDir },
    copy: { address: old.copyAddress, port: old.host.ssh.port },
    limitMbps: sync.copyMbps ?? 0,
    momentum: network.momentum,
    ...createChainSources(config),
    log: createStackLogRef(config),
    library: readChainCopyLibrary(),
    begun,
    again: word === undefined ? undefined : { word, stallAfter: sync.stallMinutes * 60_000, found },
  };
}
