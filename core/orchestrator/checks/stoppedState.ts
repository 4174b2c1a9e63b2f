import { type OrchestratorStatus, stateNames } from "../../chain/orchestrator.ts";
import { commandsFor } from "../../util/commands.ts";
import { parseJson } from "../../util/parseJson.ts";
import { formatProblem, type Problem } from "../../util/problem.ts";
import type { MoveInputs } from "../hosts/moveInputs.ts";
import type { Confirmation, Confirmed } from "../rules/confirmations.ts";
import { assignRoles, formatHost, type Saga, type WhichHost } from "../rules/journal.ts";
import type { BridgeNow } from "./bridgeState.ts";

const keyGeneration = 1;
const halted = 2;

/** Returns why an orchestrator must not be stopped in a state; undefined if it may be. */
function judgeState(state: number, haltedBridge: Confirmation): Problem | undefined {
  if (state === 0 || (state === halted && haltedBridge.isGiven)) return undefined;
  if (state === halted)
    return { what: "the bridge is halted", needed: "a live bridge", next: moveHalted(haltedBridge) };
  if (state !== keyGeneration) return { what: "the orchestrator is not live", needed: "state 0 (live)" };
  return {
    what: "the bridge's key generation is at work",
    needed: "wait until it is over: a stop now would lose the new key share",
  };
}

const moveHalted = ({ command }: Confirmation) =>
  `Is the bridge to stay halted, and the orchestrator to move all the same? If all networks of the bridge are halted too, the orchestrator starts halted on the other host and gets live with the bridge: ${command}`;

/**
 * Hint for an orchestrator that missed the end of a key generation. Names a page, no command: usually the key
 * generation is still at work, and a stop would lose the key share.
 */
const stuckHint =
  "Does the orchestrator stay in state 1 although the bridge's key generation is over? docs/orchestrator.md, An orchestrator that stays in state 1";

/** Checks by the bridge's state on the chain that an orchestrator may be stopped now; an unknown one is no problem. */
export function checkBridge(bridge: BridgeNow, haltedBridge: Confirmation): Problem | undefined {
  const problem = bridge.known ? judgeState(bridge.state, haltedBridge) : undefined;
  return problem && { ...problem, found: bridge.why };
}

type Status = Pick<OrchestratorStatus, "state" | "stateName">;

/** Checks by the orchestrator's own status that it may be stopped now. Without one, its build reports none: it may. */
export function checkStatus(status: Status | undefined, haltedBridge: Confirmation): Problem | undefined {
  const problem = status && judgeState(status.state, haltedBridge);
  const hints = [problem?.next, status?.state === keyGeneration && stuckHint].flat();
  return problem && { ...problem, found: `state ${status.state} (${status.stateName}), by getStatus`, next: hints };
}

type StoppedInputs = Pick<Confirmed<MoveInputs>, "stack" | "haltedBridge" | WhichHost>;

/**
 * Parses the state in which an orchestrator stopped from its config.json; undefined if no build would start with that
 * file. All released builds write GlobalState at each start and stop; without it, a build starts in 0.
 */
export function parseGlobalState(config: string | undefined): number | undefined {
  const json = parseJson(config ?? "") as { GlobalState?: unknown } | null | undefined;
  if (!json) return undefined;
  const { GlobalState: state = 0 } = json;
  return typeof state === "number" && Number.isInteger(state) && state >= 0 ? state : undefined;
}

/**
 * Checks by its config.json that a stopped orchestrator may go to the other host. Only a key generation prevents a
 * rollback: a halted bridge is no reason to stay on a host with problems.
 */
export function checkStoppedState(config: string | undefined, saga: Saga, inputs: StoppedInputs): string | undefined {
  const { source } = assignRoles(saga);
  const { host, service, directory } = inputs[source];
  const name = `the orchestrator of ${formatHost(source, host.ssh.address)}`;
  const run = commandsFor(inputs.stack);
  const state = parseGlobalState(config);
  if (state === undefined)
    return formatProblem({
      what: `${name} was stopped, and its configuration can't be read: no orchestrator would start with it`,
      found: `${directory}/config.json is missing, no whole JSON, or its GlobalState is no number`,
      needed: "the complete file. Its GlobalState shows the state in which the orchestrator stopped",
      next: `On the host: ls -l ${directory}; journalctl -u ${service} -n 50. Then: ${run.up}`,
    });
  const problem = judgeState(state, inputs.haltedBridge);
  if (problem === undefined || (saga.direction === "back" && state !== keyGeneration)) return undefined;
  const ask = `curl -s -H 'content-type: application/json' -d '{"method":"getStatus","params":[]}' http://127.0.0.1:${inputs[source].rpcPort}`;
  return formatProblem({
    what: `${name} was stopped in state ${state} (${stateNames[state] ?? "unknown"}), in which it would start on the other host`,
    found: `GlobalState ${state} in ${directory}/config.json, which the orchestrator wrote at its stop`,
    needed: "GlobalState 0 (live), as getStatus said before the stop",
    next: [
      `The orchestrator is started again where it was. On the host: ${ask}; when it says state 0: ${run.up}`,
      state === keyGeneration && stuckHint,
      state === halted && `${moveHalted(inputs.haltedBridge)}; then ${run.up}`,
    ],
  });
}
