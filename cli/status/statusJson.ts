import { isWrong } from "../../core/cloud/portRules.ts";
import { createRegistrationOutput, isOurs } from "../../core/registration/registration.ts";
import { formatProgress, type SyncProgress } from "../../core/sync/progress.ts";
import type { Result } from "../../core/util/result.ts";
import { decideStage } from "./hostStage.ts";
import type { StatusParts } from "./parts/statusParts.ts";
import type { StackView } from "./stackView.ts";

/** Returns the view as `status --json` prints it. Times are ISO 8601. */
export function createStatusJson(view: StackView, exitCode: number) {
  const { stack, pillar, lifecycle, state, locks, sync, synced, facts, parts } = view;
  const own = { stack, pillar, host: view.address, lifecycle };
  return {
    ...own,
    ...decideStage(view),
    synced,
    looked: exitCode < 2,
    sync: sync && syncJson(sync),
    wait: state.wait,
    done: facts?.done && Object.keys(facts.done),
    pulumi: locks?.map(({ lock, holder }) => ({ ...lock, since: new Date(lock.since).toJSON(), run: holder })),
    ...createPartsJson(parts),
    facts,
  };
}

function syncJson(progress: SyncProgress) {
  const { observation, good, why, percent, rate, left } = progress;
  const info = observation.kind === "answer" ? observation.info : undefined;
  return {
    text: formatProgress(progress),
    reason: why.kind,
    good,
    height: info?.currentHeight,
    target: info?.targetHeight,
    percent: percent && Number(percent),
    rate,
    secondsLeft: left && Math.round(left / 1000),
  };
}

/**
 * Returns the parts for the JSON. An unknown part is `{notKnown: reason}`. null: no ports are tested, an active stack's
 * lifecycle forbids a destroy, or the hourly restart may be on.
 */
export function createPartsJson({ ports, destroy, hourlyRestart, versions, ...parts }: StatusParts) {
  return {
    node: shown(parts.node),
    registration: shown(parts.registration, createRegistrationOutput),
    /** Counts of this epoch, up to five minutes old. */
    momentums: shown(parts.registration, (found) => (isOurs(found) ? found.figures : undefined)),
    orchestrator: shown(parts.orchestrator),
    ports: ports ? shown(ports, (found) => found.map((each) => ({ ...each, isWrong: isWrong(each) }))) : null,
    rewards: shown(parts.rewards),
    destroy: destroy ? shown(destroy, (unmet) => ({ unmet })) : null,
    hourlyRestart: hourlyRestart ? shown(hourlyRestart, (found) => found !== "off") : null,
    sporks: shown(parts.sporks),
    versions: shown(versions, (gaps) => gaps.map((gap) => ({ ...gap, expectedAt: toTime(gap.expectedAt) }))),
  };
}

const toTime = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toJSON());

type NotKnown = { readonly notKnown: string };

function shown<T, U = T>(part: Result<T>, map = (value: T) => value as unknown as U): U | NotKnown {
  return "problem" in part ? { notKnown: part.problem } : map(part.value);
}

export const takeKnown = <T extends object>(part: T | NotKnown | null | undefined): T | undefined =>
  part && !("notKnown" in part) ? part : undefined;
