import { createHostNode, createOldHost } from "../chain/configuredNode.ts";
import type { NodeTarget } from "../chain/node.ts";
import type { StackConfig } from "../config/config.ts";
import { createStackLogRef } from "../config/stackStore.ts";
import type { WhichHost } from "../host/rootPair.ts";
import { createNewHost } from "../ssh/configuredLogin.ts";
import type { HostLogin } from "../ssh/root.ts";
import { readChainCopyLibrary } from "../steps/libraries.ts";
import { formatStackIdentity } from "../steps/stepVariables.ts";
import { createChainSources } from "../sync/gateSettings.ts";

/** The old or the new host of a copy. Secret. */
export type CopyHost = Readonly<{ host: HostLogin; node: NodeTarget; service: string; dataDir: string }>;

/** Inputs of a chain copy. Secret. */
export type ChainCopyInputs = Readonly<ReturnType<typeof createChainCopyInputs>>;

/** The new host, and what this run knows of it. */
export interface CopyRequest extends Readonly<Record<"address" | "hostKey", string>> {
  /** Time of the last copy that did not end; its remains are undone. */
  readonly begun?: string | undefined;
  /** A new value in each run with a confirmation that found the node not synced; otherwise absent. */
  readonly found?: string | undefined;
}

export function createChainCopyInputs(config: StackConfig, { address, hostKey, begun, found }: CopyRequest) {
  const { stack, sync, node, network, pillar } = config;
  const { copyAddress, ...old } = createOldHost(config);
  const fresh = createNewHost(config, address, hostKey);
  const { copyAgain: word } = sync;
  const hosts: Readonly<Record<WhichHost, CopyHost>> = {
    old,
    new: { host: fresh, node: createHostNode(config, fresh.ssh), service: node.service, dataDir: node.dataDir },
  };
  return {
    stack,
    ...hosts,
    /** Identity of the new host's stack, written on both hosts. */
    identity: formatStackIdentity(stack, pillar.name),
    /** Address of the old host's sshd, as the new host reaches it. */
    copy: { address: copyAddress, port: old.host.ssh.port },
    /** Most megabits per second that the copy may use; 0 for no limit. */
    limitMbps: sync.copyMbps ?? 0,
    /** Milliseconds from one momentum to the next. */
    momentum: network.momentum,
    ...createChainSources(config),
    log: createStackLogRef(config),
    library: readChainCopyLibrary(),
    begun,
    /** The operator's confirmation (computeCopyWord), and the time without a new height that counts as a stall. */
    again: word === undefined ? undefined : { word, stallAfter: sync.stallMinutes * 60_000, found },
  };
}
