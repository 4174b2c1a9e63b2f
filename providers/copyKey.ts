import { isSameMove } from "../core/eventLog/moveId";
import { type BulkCopyKeyInputs, prepareBulkCopy } from "../core/orchestrator/hosts/bulkCopyKey";
import { systemClock } from "../core/util/clock";
import { say } from "../core/util/say";
import { isUnattended } from "../core/util/unattended";
import { defineResource } from "./runtime/dynamicResource";

/**
 * The short-lived key by which the new host pulls the bulk of a signer's directory from the old one (docs/specification.md,
 * 1.2, step 4): made there for a move that is to begin, and no part of the state.
 *
 * The bulk copy takes it away on the new host, the move on both, however that ends. delete does nothing: the old host may be
 * gone, and a right that a killed run left there ends by itself.
 */
export class CopyKey extends defineResource<BulkCopyKeyInputs, object>({
  type: "CopyKey",
  id: () => "copy-key",
  create: prepareKey,
  update: (_olds, news) => prepareKey(news),
  changes: (olds, news) => !isSameMove(olds.move, news.move),
  secretInputs: ["old", "new"],
  outputs: {},
}) {}

async function prepareKey(inputs: BulkCopyKeyInputs): Promise<object> {
  // The move that follows would refuse: nothing is to lie on the new host for it.
  if (isUnattended(process.env)) return {};
  await prepareBulkCopy(inputs, { ...systemClock, say: (line) => say(`orchestrator: ${line}`) });
  return {};
}
