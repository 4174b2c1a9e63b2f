import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { openStackStore } from "../../core/config/stackStore";
import { readMoveEvents } from "../../core/eventLog/eventLog";
import { createMoveId, isSameMove } from "../../core/eventLog/moveId";
import { createProxyLogin } from "../../core/ssh/configuredLogin";
import { computeFingerprint } from "../../core/ssh/publicKey";
import { scanHostKey } from "../../core/ssh/ssh";
import { isUnattended } from "../../core/util/unattended";
import type { Host } from "../host/host";
import type { LastRun } from "../lastRun";
import type { NodeStatusReader } from "../node/nodeReading";
import type { PillarNode } from "../node/pillarNode";
import type { MoveTiming } from "./nextOrchestrator";
import { Orchestrator, type OrchestratorShown } from "./orchestrator";

/**
 * Decides whether the orchestrator moves in this run. It moves only in a run that began with a synced node, so that
 * nothing moves unattended at night after days of sync (docs/architecture.md, The move of the orchestrator is one
 * resource). Every later run registers a move that has begun, too.
 */
async function decideTiming(config: StackConfig, last: LastRun, look: NodeStatusReader): Promise<MoveTiming> {
  const { migrateFrom, unattended } = config.orchestrator;
  if (migrateFrom === undefined) return last.orchestrator === undefined ? "none" : "removed";
  if (last.orchestrator !== undefined) return "now";
  const move = createMoveId(config, pulumi.getStack());
  if ((await readMoveEvents(openStackStore(config))).some((entry) => isSameMove(entry.move, move))) return "now";
  if (isUnattended(process.env)) return "unwatched";
  if (unattended) return "now";
  const { host } = config;
  const configured = host.provider === "existing" ? host : undefined;
  const address = configured?.address ?? last.address;
  if (address === undefined) return "later";
  const hostKey = configured?.hostKey ?? (await readPinnedKey(address, config.ssh, last.fingerprint));
  if (hostKey === undefined) return "later";
  return (await look(address, hostKey)).synced ? "now" : "later";
}

/** Reads the host's ssh key. Returns undefined if the host is silent, or if the last run pinned another key. */
async function readPinnedKey(
  address: string,
  ssh: StackConfig["ssh"],
  fingerprint: string | undefined,
): Promise<string | undefined> {
  const found = await scanHostKey(address, ssh.port, createProxyLogin(ssh)).catch(() => undefined);
  return found !== undefined && computeFingerprint(found) === fingerprint ? found : undefined;
}

/** The orchestrator's part of a run, decided before anything is registered. */
interface OrchestratorPlan {
  readonly timing: MoveTiming;
  /** Registers the move, if it is due now. @returns the output `orchestrator`; without a move, that of the last run */
  move(
    host: Host,
    pillar: PillarNode,
  ): { shown: pulumi.Output<OrchestratorShown> | undefined; resources: pulumi.Resource[] };
}

export async function planOrchestrator(
  config: StackConfig,
  last: LastRun,
  look: NodeStatusReader,
): Promise<OrchestratorPlan> {
  const timing = await decideTiming(config, last, look);
  return {
    timing,
    move: (host, pillar) => {
      if (timing !== "now") return { shown: last.orchestrator && pulumi.output(last.orchestrator), resources: [] };
      const orchestrator = new Orchestrator("orchestrator", { config, host, after: [pillar, pillar.done] });
      return { shown: orchestrator.shown, resources: [orchestrator] };
    },
  };
}
