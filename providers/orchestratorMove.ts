import type { Notice } from "../core/notify/notify.ts";
import { createChainReaders } from "../core/orchestrator/checks/survey.ts";
import type { MoveInputs } from "../core/orchestrator/hosts/moveInputs.ts";
import { formatMoveFailure, formatMoveNotice, type MoveOutputs, move } from "../core/orchestrator/move/move.ts";
import { systemClock } from "../core/util/clock.ts";
import { say } from "../core/util/printable.ts";
import { isUnattended } from "../core/util/unattended.ts";
import { type MoveTriggers, prepareMove } from "./orchestratorBackup.ts";
import { defineResource } from "./runtime/dynamicResource.ts";
import type { ProviderRun } from "./runtime/provider.ts";

/**
 * Moves the orchestrator from the old host to this one, or back (docs/specification.md, 1.2, steps 4 to 7), with a
 * journal on both hosts. create and update do the remaining steps. delete moves nothing.
 */
export class OrchestratorMove extends defineResource<
  MoveTriggers & { readonly rollback: boolean },
  MoveOutputs,
  MoveInputs
>({
  type: "OrchestratorMove",
  prepare: prepareMove,
  create: (_inputs, run) => resumeMove({}, run),
  update: (olds, _news, run) => resumeMove(olds, run),
  outputs: {
    holder: "plain",
    why: "plain",
    generation: "plain",
    build: "plain",
    movedAt: "plain",
    secondsWithoutSigner: "plain",
    recordHead: "plain",
  },
}) {}

/** Resumes the move; the journals on both hosts decide what is left. */
async function resumeMove(
  before: Partial<MoveOutputs>,
  { signal, tell, prepare }: ProviderRun<MoveInputs>,
): Promise<MoveOutputs> {
  const inputs = prepare();
  const notify = (event: Notice["event"], message: string) =>
    tell(inputs.notify, { event, title: `Pillar ${inputs.pillar} (${inputs.stack}): ${event}`, message });
  const deps = {
    ...systemClock,
    say: (line: string) => say(`orchestrator: ${line}`),
    ...createChainReaders(inputs),
    isWatched: !isUnattended(process.env),
    signal,
  };
  const done = await move(inputs, deps, before).catch((error: Error) => {
    if (!signal.aborted) notify("failed", formatMoveFailure(error, inputs.stack));
    throw error;
  });
  const message = formatMoveNotice(inputs, before, done);
  if (message !== undefined) notify("signerMoved", message);
  if (before.holder !== done.holder) return done;
  // A run that finds the move done keeps the figures of the run that did it.
  const { generation, movedAt, secondsWithoutSigner, build } = before;
  return { generation, movedAt, secondsWithoutSigner, build, ...done };
}
