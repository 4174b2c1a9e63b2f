import { isSameMove, type MoveId } from "../core/eventLog/moveId.ts";
import { prepareBulkCopy } from "../core/orchestrator/hosts/bulkCopyKey.ts";
import type { MoveInputs } from "../core/orchestrator/hosts/moveInputs.ts";
import { systemClock } from "../core/util/clock.ts";
import { say } from "../core/util/printable.ts";
import { isUnattended } from "../core/util/unattended.ts";
import { prepareMove } from "./orchestratorBackup.ts";
import { defineResource } from "./runtime/dynamicResource.ts";
import type { HostIdentity } from "./runtime/stackConfig.ts";

/**
 * The short-lived key with which the new host pulls the orchestrator's bulk copy from the old host
 * (docs/specification.md, 1.2, step 4). The new host creates it; it is not part of the state. Bulk copy and move remove
 * it, even if they fail. delete does nothing: the old host may be gone, and an authorization that a killed run left
 * there expires.
 */
export class CopyKey extends defineResource<CopyKeyInputs, object, MoveInputs>({
  type: "CopyKey",
  id: () => "copy-key",
  prepare: prepareMove,
  create: (_inputs, run) => prepareKey(run.prepare),
  update: (_olds, _news, run) => prepareKey(run.prepare),
  changes: (olds, news) => !isSameMove(olds.move, news.move),
  outputs: {},
}) {}

type CopyKeyInputs = HostIdentity & { readonly move: MoveId };

async function prepareKey(prepare: () => MoveInputs): Promise<object> {
  // The move that follows would refuse to run, so nothing may be left on the new host for it.
  if (isUnattended(process.env)) return {};
  await prepareBulkCopy(prepare(), { ...systemClock, say: (line) => say(`orchestrator: ${line}`) });
  return {};
}
