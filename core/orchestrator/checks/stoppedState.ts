import { type OrchestratorStatus, stateNames } from "../../chain/orchestrator";
import { type Commands, commandsFor } from "../../util/commands";
import { formatProblem, type Problem } from "../../util/problem";
import type { MoveInputs } from "../hosts/moveInputs";
import { assignRoles, formatHost, type Saga, type WhichHost } from "../rules/journal";
import type { BridgeNow } from "./bridgeState";

/**
 * Parses the state in which an orchestrator stopped from its config.json; undefined if no build would start with that
 * file. All released builds write GlobalState at each start and stop; without it, a build starts in 0.
 */
export function parseGlobalState(config: string | undefined): number | undefined {
  try {
    const { GlobalState: state = 0 } = JSON.parse(config ?? "") as { GlobalState?: unknown };
    return typeof state === "number" && Number.isInteger(state) && state >= 0 ? state : undefined;
  } catch {
    return undefined;
  }
}

const keyGeneration = 1;
const halted = 2;

/**
 * Checks by its config.json that a stopped orchestrator may go to the other host. Only a key generation prevents a
 * rollback: a halted bridge is no reason to stay on a host with problems.
 */
export function checkStoppedState(config: string | undefined, saga: Saga, inputs: StoppedInputs): string | undefined {
  const { source } = assignRoles(saga);
  const { host, service, directory } = inputs[source];
  const name = `the orchestrator of ${formatHost(source, host.ssh.address)}`;
  const run = commandsFor(inputs.stack);
  const { up } = run;
  const state = parseGlobalState(config);
  if (state === undefined)
    return formatProblem({
      what: `${name} was stopped, and its configuration cannot be read: no orchestrator would start with it`,
      found: `${directory}/config.json is missing, no whole JSON, or its GlobalState is no number`,
      needed: "the complete file. Its GlobalState shows the state in which the orchestrator stopped",
      next: `On the host: ls -l ${directory}; journalctl -u ${service} -n 50. Then: ${up}`,
    });
  if (state === 0 || (saga.direction === "back" && state !== keyGeneration)) return undefined;
  if (state === halted && inputs.haltedBridge) return undefined;
  const ask = `curl -s -H 'content-type: application/json' -d '{"method":"getStatus","params":[]}' http://127.0.0.1:${inputs[source].rpcPort}`;
  return formatProblem({
    what: `${name} was stopped in state ${state} (${stateNames[state] ?? "unknown"}): ${meanings[state] ?? "on the other host it would start in that state"}`,
    found: `GlobalState ${state} in ${directory}/config.json, which the orchestrator wrote at its stop`,
    needed: "GlobalState 0 (live), as getStatus said before the stop",
    next: [
      `The orchestrator is started again where it was. On the host: ${ask}; when it says state 0: ${up}`,
      state === keyGeneration && stuckHint,
      state === halted && `${moveHalted(run)}; then ${up}`,
    ],
  });
}

/**
 * Hint for an orchestrator that missed the end of a key generation. Names a page, no command: usually the key
 * generation is still at work, and a stop would lose the key share.
 */
export const stuckHint =
  "Does the orchestrator stay in state 1 although the bridge's key generation is over? docs/orchestrator.md, An orchestrator that stays in state 1";

/** Formats the command that lets an orchestrator move although the bridge is halted. */
export const moveHalted = (run: Commands) =>
  `Is the bridge to stay halted, and the orchestrator to move all the same? If all networks of the bridge are halted too, the orchestrator starts halted on the other host and gets live with the bridge: ${run.set("orchestrator.migrateFrom.haltedBridge", "acknowledged")}`;

const meanings: Readonly<Record<number, string>> = {
  1: "its part in the key generation is not done, and on the other host it would begin one alone",
  2: "the bridge is halted, and on the other host the orchestrator would start halted",
};

export type StoppedInputs = Pick<MoveInputs, "stack" | "haltedBridge" | WhichHost>;

/** True if an orchestrator in this state may be stopped; undefined: its build reports none, so it may. */
export function mayStop(status: Pick<OrchestratorStatus, "state"> | undefined, haltedBridge: boolean): boolean {
  return status === undefined || status.state === 0 || (status.state === halted && haltedBridge);
}

/** Checks by the orchestrator's own status that it may be stopped now. */
export function checkLive(
  side: WhichHost,
  status: Pick<OrchestratorStatus, "state" | "stateName"> | undefined,
  inputs: StoppedInputs,
): string | undefined {
  if (status === undefined || mayStop(status, inputs.haltedBridge)) return undefined;
  const run = commandsFor(inputs.stack);
  if (status.state === keyGeneration)
    return formatProblem({
      what: `the orchestrator of the ${side} host takes part in a key generation now: stopping it would lose its new key share`,
      needed: `wait until getStatus says live, which takes minutes; then run ${run.up} again.`,
      next: stuckHint,
    });
  return formatProblem({
    what: `the orchestrator of the ${side} host is not in the state live`,
    found: `state ${status.state} (${status.stateName})`,
    needed: `wait for state 0 (live); then run ${run.up} again.`,
    next: status.state === halted && moveHalted(run),
  });
}

/** Checks by the bridge's state on the chain that an orchestrator may be stopped now; an unknown one is no problem. */
export function checkBridge(bridge: BridgeNow, haltedBridge: boolean, run: Commands): Problem | undefined {
  if (!bridge.known || bridge.state === 0 || (bridge.state === halted && haltedBridge)) return undefined;
  const [what, needed] =
    bridge.state === halted
      ? (["the bridge is halted", "a live bridge"] as const)
      : ([
          "the bridge's key generation is at work",
          "wait until the key generation has finished: stopping now would lose the key share",
        ] as const);
  const next = `Run ${run.up} again when the ${bridge.state === halted ? `bridge is live. ${moveHalted(run)}` : "key generation is over."}`;
  return { what, needed: `${needed} (as the chain says; getStatus lags by up to 40 s)`, found: bridge.why, next };
}
