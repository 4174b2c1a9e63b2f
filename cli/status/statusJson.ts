import type { SyncProgress } from "../../core/sync/progress";
import { formatProgress } from "../../core/sync/syncMessages";
import { decideAttention } from "./attention";
import { decideStage } from "./hostStage";
import { createPartsJson } from "./parts/partsJson";
import type { StackView } from "./stackView";

/** Returns the view for programs. Times are ISO 8601. */
export function createStatusJson(view: StackView, exitCode: number) {
  const { stack, pillar, address, lifecycle, state, locks: held, sync, synced, facts, parts } = view;
  return {
    stack,
    pillar,
    host: address,
    lifecycle,
    ...decideStage(view),
    needs: decideAttention(view),
    synced,
    looked: exitCode < 2,
    sync: sync && syncJson(sync),
    wait: state.wait,
    done: facts?.done && Object.keys(facts.done),
    pulumi: held?.map(({ lock, holder }) => ({ ...lock, since: new Date(lock.since).toJSON(), run: holder })),
    ...(parts ? createPartsJson(parts) : {}),
    facts,
  };
}

function syncJson(progress: SyncProgress) {
  const { observation, good, why, percent, rate, left } = progress;
  const info = observation.kind === "answer" ? observation.info : undefined;
  const [least, most] = left?.map((milliseconds) => Math.round(milliseconds / 1000)) ?? [];
  return {
    text: formatProgress(progress),
    reason: why.kind,
    good,
    height: info?.currentHeight,
    target: info?.targetHeight,
    percent: percent && Number(percent),
    rate,
    secondsLeft: left && { least, most },
  };
}
