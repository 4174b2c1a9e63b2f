import { type OrchestratorStatus, stateNames } from "../../chain/orchestrator";
import { type Commands, commandsFor } from "../../util/commands";
import { formatProblem, type Problem } from "../../util/problem";
import type { MoveInputs } from "../hosts/moveInputs";
import { assignRoles, formatHost, type Saga, type WhichHost } from "../rules/journal";
import type { BridgeNow } from "./bridgeState";

/**
 * Parses the state of a stopped orchestrator in config.json; undefined if no build would start with it. All released
 * builds write GlobalState at each start and stop; a build that starts without it takes 0.
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
 * Checks that an orchestrator may move on after its stop, by its config.json then. Only a key generation prevents a
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
  const ask = `curl -s -H 'content-type: application/json' -d '{"method":"getStatus","params":[]}' http://127.0.0.1:${inputs.rpcPort}`;
  return formatProblem({
    what: `${name} was stopped in state ${state} (${stateNames[state] ?? "unknown"}): ${meanings[state] ?? "started on the other host, it would begin in it"}`,
    found: `GlobalState ${state} in ${directory}/config.json, which it wrote at its stop`,
    needed: "GlobalState 0 (live), as getStatus said before the stop",
    next: [
      `It is started again where it was. On the host: ${ask}; when it says state 0: ${up}`,
      state === keyGeneration && stuckHint,
      state === halted && `${moveHalted(run)}; then ${up}`,
    ],
  });
}

/**
 * Help if an orchestrator missed the end of a key generation: a restart does not help. Names no command: usually the
 * key generation is at work, and a stop would lose the key share.
 */
export const stuckHint =
  "Does it stay in state 1 although the bridge's key generation is over? docs/orchestrator.md, An orchestrator that stays in state 1";

/** Formats the command if a bridge is halted for longer than the old host lives. */
export const moveHalted = (run: Commands) =>
  `Is the bridge to stay halted, and the orchestrator to move all the same? Where all of its networks are halted, too, it begins halted on the other host, and is live when the bridge is: ${run.set("orchestrator.migrateFrom.haltedBridge", "acknowledged")}`;

const meanings: Readonly<Record<number, string>> = {
  1: "its part in the bridge's next key is not done, and started on the other host it would begin a key generation alone",
  2: "the bridge is halted, and started on the other host it would begin halted",
};

export type StoppedInputs = Pick<MoveInputs, "stack" | "rpcPort" | "haltedBridge"> &
  Readonly<Record<WhichHost, MoveInputs["old"]>>;

/** True if an orchestrator may be stopped now, or its build has no status. */
export function mayStop(status: Pick<OrchestratorStatus, "state"> | undefined, haltedBridge: boolean): boolean {
  return status === undefined || status.state === 0 || (status.state === halted && haltedBridge);
}

/** Checks that an orchestrator may be stopped now by its own status. */
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
      needed: `getStatus says live. It takes minutes; then run ${run.up} again.`,
      next: stuckHint,
    });
  return formatProblem({
    what: `the orchestrator of the ${side} host is not live now`,
    found: `state ${status.state} (${status.stateName})`,
    needed: `state 0 (live). Run ${run.up} again when it is.`,
    next: status.state === halted && moveHalted(run),
  });
}

/** Checks that an orchestrator may be stopped now by the bridge's state on the chain; an unknown one is no problem. */
export function checkBridge(bridge: BridgeNow, haltedBridge: boolean, run: Commands): Problem | undefined {
  if (!bridge.known || bridge.state === 0 || (bridge.state === halted && haltedBridge)) return undefined;
  const [what, needed] =
    bridge.state === halted
      ? (["the bridge is halted", "a live bridge"] as const)
      : ([
          "the bridge's key generation is at work",
          "wait until the key generation has finished: stopping now would lose the key share",
        ] as const);
  const next = `Run ${run.up} again when it is ${bridge.state === halted ? `live. ${moveHalted(run)}` : "over."}`;
  return { what, needed: `${needed} (as the chain says; getStatus lags by up to 40 s)`, found: bridge.why, next };
}
