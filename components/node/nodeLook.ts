import { lookAhead, lookAtNode, type NodeNow } from "../../providers/lookup";
import type { StackConfig } from "../config";
import type { LastRun } from "../lastRun";
import { nodeTarget } from "../login";

/** Looks at the node of a stack's host, whose address and key may be known only late in a run. */
export type NodeLook = (address: string, hostKey: string) => Promise<NodeNow>;

/** Begins the look at once where the host is known and the last run left a node on it; one look serves all who ask. */
export function nodeLook(config: StackConfig, { finished }: LastRun): NodeLook {
  const look: NodeLook = (address, hostKey) => lookAtNode(nodeTarget(config, address, hostKey), config.sync);
  const { host } = config;
  if (!finished || host.provider !== "existing" || host.hostKey === undefined) return look;
  const { address, hostKey } = host;
  return lookAhead(() => look(address, hostKey));
}
