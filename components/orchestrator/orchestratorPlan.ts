import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config.ts";
import { openStackStore } from "../../core/config/stackStore.ts";
import { readMoveEvents } from "../../core/eventLog/eventLog.ts";
import { createMoveId, isSameMove } from "../../core/eventLog/moveId.ts";
import type { MoveTiming } from "../../core/journey/facts.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { isUnattended } from "../../core/util/unattended.ts";
import type { Host } from "../host/host.ts";
import type { NodeStatusReader } from "../node/nodeReading.ts";
import type { PillarNode } from "../node/pillarNode.ts";
import { Orchestrator } from "./orchestrator.ts";

/**
 * Decides whether the orchestrator moves in this run. It moves only in a run that began with a synced node, so that
 * nothing moves unattended at night after days of sync (docs/architecture.md, The move of the orchestrator is one
 * resource). Every later run registers a move that has begun, too.
 */
async function decideTiming(config: StackConfig, last: LastRun, look: NodeStatusReader): Promise<MoveTiming> {
  const { unattended } = config.orchestrator;
  if (!config.orchestrator.move) return last.orchestrator === undefined ? "none" : "removed";
  if (last.orchestrator !== undefined) return "now";
  const move = createMoveId(config, pulumi.getStack());
  if ((await readMoveEvents(openStackStore(config))).some((entry) => isSameMove(entry.move, move))) return "now";
  if (isUnattended(process.env)) return "unwatched";
  if (unattended) return "now";
  const configured = config.host.provider === "existing" ? config.host : undefined;
  const address = configured?.address ?? last.address;
  const hostKey = configured?.hostKey ?? last.hostKey;
  if (address === undefined || hostKey === undefined) return "later";
  return (await look(address, hostKey)).synced ? "now" : "later";
}

/** Decides, before anything is registered, whether the orchestrator moves. @returns the decision, and what registers it */
export async function planOrchestrator(config: StackConfig, last: LastRun, look: NodeStatusReader) {
  const timing = await decideTiming(config, last, look);
  /** Registers the move, if it is due now. @returns the output `orchestrator`; without a move, that of the last run */
  const move = (host: Host, pillar: PillarNode) => {
    if (timing !== "now") return { shown: last.orchestrator && pulumi.output(last.orchestrator), resources: [] };
    const orchestrator = new Orchestrator("orchestrator", { host, after: [pillar, pillar.done] });
    return { shown: orchestrator.shown, resources: [orchestrator] };
  };
  return { timing, move };
}
