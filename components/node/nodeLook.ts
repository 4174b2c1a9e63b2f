import { chainOfNode } from "../../core/chain/chain";
import type { StackConfig } from "../../core/config/config";
import { readSources } from "../../core/registration/look";
import type { SourceReading } from "../../core/registration/source";
import { nodeTarget } from "../../core/settings/login";
import { type Connection, createConnection } from "../../core/ssh/connection";
import { envelope } from "../../core/steps/step";
import { hourlyRestartNow } from "../../core/steps/steps";
import { lookAhead, lookAtNode, type NodeStatus } from "../../core/sync/nodeStatus";
import { withTimeout } from "../../core/util/withTimeout";
import type { LastRun } from "../lastRun";

/** Looks at the node of a stack's host, whose address and key may be known only late in a run. */
export type NodeLook = (address: string, hostKey: string) => Promise<NodeStatus>;

/** What a look at a host brings, each as soon as it is there. None of them fails. */
export interface HostSeen {
  readonly node: Promise<NodeStatus>;
  /** What it and the references say of the Pillar and the chain. */
  readonly readings: Promise<readonly SourceReading[]>;
  /** Whether the hourly restart is on though the node has synced; undefined where that could not be seen. */
  readonly hourlyRestart: Promise<"on" | "off" | undefined>;
}

/** Looks at node, chain and crontab at once, over one connection; `anew` where an early look is no good any more. */
export type LookAtHost = (address: string, hostKey: string, anew?: "anew") => Promise<HostSeen>;

/** Begins the look at once where the host is known and the last run left a node on it; one look serves all who ask. */
export function hostLook(config: StackConfig, { finished }: LastRun): LookAtHost {
  const look: LookAtHost = async (address, hostKey) => beginLook(config, address, hostKey);
  const { host } = config;
  if (!finished || host.provider !== "existing" || host.hostKey === undefined) return look;
  const { address, hostKey } = host;
  const early = lookAhead(() => look(address, hostKey));
  return (at, key, anew) => (anew ? look(at, key) : early());
}

/** Who is asked, in what is said of its answers. */
export const nodeName = (address: string) => `the node of ${address}`;

function beginLook(config: StackConfig, address: string, hostKey: string): HostSeen {
  const target = nodeTarget(config, address, hostKey);
  const connection = createConnection(target.ssh);
  const chain = chainOfNode(nodeName(address), target, connection);
  const seen = {
    node: lookAtNode(target, config.sync, connection),
    readings: readSources(chain, config.sync.references, config.pillar.name),
    hourlyRestart: hourlyRestartOf(config, address, connection),
  };
  void Promise.all(Object.values(seen)).finally(() => connection.drop());
  return seen;
}

const limit = 20_000;

async function hourlyRestartOf(config: StackConfig, address: string, connection: Connection) {
  const script = envelope(hourlyRestartNow(config), address, config.ssh.sudoPassword);
  try {
    const asking = connection
      .session()
      .then((session) => session.run("bash -euo pipefail -s hourlyRestartNow", script));
    const { stdout } = await withTimeout(asking, limit, "late");
    return (["on", "off"] as const).find((word) => word === stdout.trim());
  } catch {
    return undefined;
  }
}
