import { createRegistrationOutput } from "../../../core/registration/registrationOutput";
import { isWrong } from "../../../core/ssh/portRules";
import type { Result } from "../../../core/util/result";
import type { StatusParts } from "./statusParts";

/** Returns the parts for programs. An unknown part is `{notKnown: reason}`. */
export function createPartsJson(parts: StatusParts) {
  const {
    node,
    registration,
    orchestrator: signer,
    ports,
    rewards,
    destroy,
    hourlyRestart,
    sporks,
    versions,
    newerRelease = null,
  } = parts;
  return {
    node: shown(node, (found) => found),
    registration: shown(registration, createRegistrationOutput),
    orchestrator: shown(signer, (found) => found),
    // null: the ports are not tested.
    ports: ports ? shown(ports, (found) => found.map((each) => ({ ...each, isWrong: isWrong(each) }))) : null,
    rewards: shown(rewards, (found) => found),
    // null: the lifecycle forbids a destroy, whatever the other conditions.
    destroy: destroy ? shown(destroy, (unmet) => ({ unmet })) : null,
    // null: the restart may be on.
    hourlyRestart: hourlyRestart ? shown(hourlyRestart, (found) => found !== "off") : null,
    newerRelease,
    sporks: shown(sporks, (found) => found),
    versions: shown(versions, (lacks) =>
      lacks.map((gap) => ({
        ...gap,
        expectedAt: gap.expectedAt === undefined ? null : new Date(gap.expectedAt).toJSON(),
      })),
    ),
  };
}

function shown<T, R>(part: Result<T>, map: (value: T) => R): R | { readonly notKnown: string } {
  return "problem" in part ? { notKnown: part.problem } : map(part.value);
}
