import { createNodeTarget } from "../../core/chain/configuredNode";
import { openStackStore } from "../../core/config/stackStore";
import { isMoveOver, readMoveEvents } from "../../core/eventLog/eventLog";
import { readBridge } from "../../core/orchestrator/checks/bridgeState";
import { rehearse } from "../../core/orchestrator/checks/rehearsal";
import { createSecureOptions } from "../../core/orchestrator/checks/secureOptions";
import { createNewHost, createOldHost } from "../../core/ssh/configuredLogin";
import { openRoot } from "../../core/ssh/root";
import { readOrchestratorLibrary } from "../../core/steps/libraries";
import { createWitnessSources } from "../../core/sync/gateSettings";
import { readNodeStatus } from "../../core/sync/nodeStatus";
import { systemClock } from "../../core/util/clock";
import { commandsFor } from "../../core/util/commands";
import type { StackInfo } from "../status/openStack";
import { type CheckRow, fail, pass, pending } from "./checkRow";

const topic = "orchestrator's move";

/** Rehearses the orchestrator's move: makes all its checks, estimates how long the bridge lacks a signer. */
export async function checkMove({ stack, config, state, address, hostKey }: StackInfo): Promise<CheckRow[]> {
  if (config.orchestrator.migrateFrom === undefined) return [];
  if (address === undefined || hostKey === undefined)
    return [pending(topic, "the move is rehearsed once the address and ssh host key of the new host are known")];
  const options = createSecureOptions(config, stack);
  if (isMoveOver(await readMoveEvents(openStackStore(config)), options.move))
    return [pass(topic, "the event log says that the move is over: nothing to rehearse")];
  const library = readOrchestratorLibrary();
  const roots = {
    old: openRoot(createOldHost(config), library),
    new: openRoot(createNewHost(config, address, hostKey), library),
  };
  const node = createNodeTarget(config, address, hostKey);
  // Before the first sync, an unsynced node is no fault: the move comes later.
  const nodeCounts = state.wait?.syncedAt !== undefined;
  try {
    const { begun, faults, shown, gapSeconds } = await rehearse(options, nodeCounts, {
      roots,
      readNodeSync: () => readNodeStatus(node, createWitnessSources(config)),
      readBridge: () => readBridge({ node, references: config.sync.references }),
      ...systemClock,
    });
    if (begun !== undefined)
      return [pass(topic, `the move has begun (journal on the ${begun}); to continue: ${commandsFor(stack).up}`)];
    const rehearsed =
      gapSeconds === undefined
        ? []
        : [{ ...pass(topic, "rehearsed: nothing was written on either host", ...shown), gapSeconds }];
    const waits = nodeCounts
      ? []
      : [pending(topic, "the node is not synced yet; the sync is checked again before the move")];
    return [...rehearsed, ...waits, ...faults.map((text) => fail(topic, text))];
  } finally {
    roots.old.close();
    roots.new.close();
  }
}
