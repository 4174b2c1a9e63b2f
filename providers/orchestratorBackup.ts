import type { NodeTarget } from "../core/chain/node";
import type { Prepared } from "../core/eventLog/events";
import { readBridge } from "../core/orchestrator/checks/bridgeState";
import { secureOrchestrator } from "../core/orchestrator/checks/preparation";
import type { SecureOptions } from "../core/orchestrator/hosts/moveInputs";
import { type OrchestratorHost, openRoot } from "../core/ssh/root";
import type { WitnessSources } from "../core/sync/chainSources";
import { readNodeStatus } from "../core/sync/nodeStatus";
import { systemClock } from "../core/util/clock";
import { say } from "../core/util/say";
import { defineResource } from "./runtime/dynamicResource";

/**
 * Prepares the orchestrator's move (docs/specification.md, 1.2, steps 1 and 2): reports all problems of both hosts
 * before anything changes, then makes an encrypted, verified backup on the operator's machine. create and update return
 * at once for a finished move or while its verified backup exists. delete does nothing: backups stay.
 */
export class OrchestratorBackup extends defineResource<BackupInputs, Prepared>({
  // Existing states use this name.
  type: "SignerBackup",
  id: () => "signer-backup",
  create: passBackup,
  update: (_olds, news) => passBackup(news),
  secretInputs: ["oldHost", "newHost", "node", "witnessHost"],
  outputs: { backup: "plain", oldVersion: "plain", oldIdentity: "plain" },
}) {}

interface BackupInputs extends SecureOptions, WitnessSources {
  readonly oldHost: OrchestratorHost;
  readonly newHost: OrchestratorHost;
  readonly library: string;
  /** The new host's node. */
  readonly node: NodeTarget;
}

async function passBackup(inputs: BackupInputs): Promise<Prepared> {
  const roots = { old: openRoot(inputs.oldHost, inputs.library), new: openRoot(inputs.newHost, inputs.library) };
  try {
    return await secureOrchestrator(inputs, {
      roots,
      readNodeSync: () => readNodeStatus(inputs.node, inputs),
      readBridge: () => readBridge(inputs),
      ...systemClock,
      say,
    });
  } finally {
    roots.old.close();
    roots.new.close();
  }
}
