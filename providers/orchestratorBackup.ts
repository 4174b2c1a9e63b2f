import type { Prepared } from "../core/eventLog/events.ts";
import { secureOrchestrator } from "../core/orchestrator/checks/preparation.ts";
import { createChainReaders } from "../core/orchestrator/checks/survey.ts";
import { openPair } from "../core/orchestrator/hosts/hostPair.ts";
import { createMoveInputs, type MoveInputs, type SecureOptions } from "../core/orchestrator/hosts/moveInputs.ts";
import { systemClock } from "../core/util/clock.ts";
import { say } from "../core/util/printable.ts";
import { defineResource } from "./runtime/dynamicResource.ts";
import { type HostIdentity, readStackConfig } from "./runtime/stackConfig.ts";

/**
 * Prepares the orchestrator's move (docs/specification.md, 1.2, steps 1 and 2): reports all problems of both hosts
 * before anything changes, then makes an encrypted, verified backup on the operator's machine. create and update return
 * at once for a finished move or while its verified backup exists. delete does nothing: backups stay.
 */
export class OrchestratorBackup extends defineResource<MoveTriggers, Prepared, MoveInputs>({
  type: "OrchestratorBackup",
  prepare: prepareMove,
  create: (_inputs, run) => passBackup(run.prepare()),
  update: (_olds, _news, run) => passBackup(run.prepare()),
  outputs: { backup: "plain", oldVersion: "plain", oldIdentity: "plain" },
}) {}

/** The new host and, of the settings, those whose change is a reason to look at both hosts. */
export interface MoveTriggers extends HostIdentity {
  readonly options: SecureOptions;
}

export function prepareMove({ stack, address, hostKey }: HostIdentity): MoveInputs {
  return createMoveInputs(readStackConfig(stack), address, hostKey);
}

async function passBackup(inputs: MoveInputs): Promise<Prepared> {
  const roots = openPair(inputs);
  try {
    return await secureOrchestrator(inputs, {
      roots,
      ...createChainReaders(inputs),
      ...systemClock,
      say,
    });
  } finally {
    roots.old.close();
    roots.new.close();
  }
}
