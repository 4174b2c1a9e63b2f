import { createRegistrationOutput } from "../../core/registration/registrationOutput";
import { isWrong } from "../../core/ssh/portRules";
import type { SyncProgress } from "../../core/sync/progress";
import { formatProgress } from "../../core/sync/syncMessages";
import type { Result } from "../../core/util/result";
import { decideStage } from "./hostStage";
import type { StatusParts } from "./parts/statusParts";
import type { StackView } from "./stackView";

/** Returns the view as `status --json` prints it. Times are ISO 8601. */
export function createStatusJson(view: StackView, exitCode: number) {
  const { stack, pillar, address, lifecycle, state, locks: held, sync, synced, facts, parts } = view;
  return {
    stack,
    pillar,
    host: address,
    lifecycle,
    ...decideStage(view),
    synced,
    looked: exitCode < 2,
    sync: sync && syncJson(sync),
    wait: state.wait,
    done: facts?.done && Object.keys(facts.done),
    pulumi: held?.map(({ lock, holder }) => ({ ...lock, since: new Date(lock.since).toJSON(), run: holder })),
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

/** Returns the parts for the JSON. An unknown part is `{notKnown: reason}`. */
export function createPartsJson(parts: StatusParts) {
  const { node, registration, orchestrator, ports, rewards, destroy, hourlyRestart, sporks, versions } = parts;
  return {
    node: shown(node),
    registration: shown(registration, createRegistrationOutput),
    orchestrator: shown(orchestrator),
    // null if no ports are tested.
    ports: ports ? shown(ports, (found) => found.map((each) => ({ ...each, isWrong: isWrong(each) }))) : null,
    rewards: shown(rewards),
    // null if the stack is active: its lifecycle forbids a destroy, whatever the other conditions.
    destroy: destroy ? shown(destroy, (unmet) => ({ unmet })) : null,
    // null if the stack is not active: then the hourly restart may be on.
    hourlyRestart: hourlyRestart ? shown(hourlyRestart, (found) => found !== "off") : null,
    sporks: shown(sporks),
    versions: shown(versions, (lacks) =>
      lacks.map((gap) => ({
        ...gap,
        expectedAt: gap.expectedAt === undefined ? null : new Date(gap.expectedAt).toJSON(),
      })),
    ),
  };
}

function shown<T>(part: Result<T>, map: (value: T) => unknown = (value) => value): unknown {
  return "problem" in part ? { notKnown: part.problem } : map(part.value);
}
