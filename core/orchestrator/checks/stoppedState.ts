import { type OrchestratorStatus, stateNames } from "../../chain/orchestrator";
import { type Commands, commandsFor } from "../../util/commands";
import type { MoveInputs } from "../hosts/moveInputs";
import { type Saga, type SideName, sidesOf } from "../rules/journal";
import type { BridgeNow } from "./bridgeNow";

/**
 * The state in which an orchestrator was stopped and will be started. All released builds write GlobalState at
 * each start and stop; where it is absent, one that starts takes 0.
 *
 * @param config the text of config.json; undefined where it could not be read
 * @returns undefined where no build would start with it
 */
export function globalStateOf(config: string | undefined): number | undefined {
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
 * Why a signer that has just been stopped can't go on its way; undefined where it can. On the way back, a bridge
 * that is halted keeps nobody on a host that does not do well: only a key generation does.
 *
 * @param config the text of its config.json after the stop; undefined where it could not be read
 */
export function stoppedFault(config: string | undefined, saga: Saga, inputs: StoppedInputs): string | undefined {
  const { source } = sidesOf(saga);
  const { host, service, directory } = inputs[source];
  const whose = `the orchestrator of the ${source} side (${host.ssh.address})`;
  const run = commandsFor(inputs.stack);
  const { up } = run;
  const state = globalStateOf(config);
  if (state === undefined)
    return [
      `${whose} was stopped, and its configuration cannot be read: no orchestrator would start with it`,
      `  found: ${directory}/config.json is missing, no whole JSON, or its GlobalState is no number`,
      "  needed: the whole file; its GlobalState tells in which state the signer stopped",
      `  On the host: ls -l ${directory}; journalctl -u ${service} -n 50. Then: ${up}`,
    ].join("\n");
  if (state === 0 || (saga.direction === "back" && state !== keyGeneration)) return undefined;
  if (state === halted && inputs.haltedBridge) return undefined;
  const ask = `curl -s -H 'content-type: application/json' -d '{"method":"getStatus","params":[]}' http://127.0.0.1:${inputs.rpcPort}`;
  return [
    `${whose} was stopped in state ${state} (${stateNames[state] ?? "unknown"}): ${meanings[state] ?? "started on the other side, it would begin in it"}`,
    `  found: GlobalState ${state} in ${directory}/config.json, which it wrote at its stop`,
    "  needed: GlobalState 0 (live), as getStatus said before the stop",
    `  It is started again where it was. On the host: ${ask}; when it says state 0: ${up}`,
    ...(state === keyGeneration ? [`  ${stuckHint}`] : []),
    ...(state === halted ? [`  ${moveHalted(run)}; then ${up}`] : []),
  ].join("\n");
}

/**
 * For one that took part in a key generation which ended without it: a restart does not help. The commands are not printed:
 * mostly it is at work, and stopping it then loses its key share.
 */
export const stuckHint =
  "Does it stay in state 1 although the bridge's key generation is over? docs/orchestrator.md, A signer that stays in state 1";

/** What to type where a bridge is halted for longer than the old host lives. */
export const moveHalted = (run: Commands) =>
  `Is the bridge to stay halted, and the signer to move all the same? Where all of its networks are halted, too, it begins halted on the other side, and is live when the bridge is: ${run.set("orchestrator.migrateFrom.haltedBridge", "acknowledged")}`;

const meanings: Readonly<Record<number, string>> = {
  1: "its part in the bridge's next key is not done, and started on the other side it would begin a key generation alone",
  2: "the bridge is halted, and started on the other side it would begin halted",
};

/** What is told of, where a signer was stopped. */
export type StoppedInputs = Pick<MoveInputs, "stack" | "rpcPort" | "haltedBridge"> &
  Readonly<Record<SideName, MoveInputs["old"]>>;

/** Whether a signer may be stopped now; where its build does not tell, it may. */
export function mayStop(status: Pick<OrchestratorStatus, "state"> | undefined, haltedBridge: boolean): boolean {
  return status === undefined || status.state === 0 || (status.state === halted && haltedBridge);
}

/** Why a signer is not stopped now; undefined where it may be. */
export function notLive(
  side: SideName,
  status: Pick<OrchestratorStatus, "state" | "stateName"> | undefined,
  inputs: StoppedInputs,
): string | undefined {
  if (status === undefined || mayStop(status, inputs.haltedBridge)) return undefined;
  const run = commandsFor(inputs.stack);
  return status.state === keyGeneration
    ? `the orchestrator of the ${side} side takes part in a key generation now: stopping it would lose its new key share\n` +
        `  needed: getStatus says live. It takes minutes; then run ${run.up} again.\n  ${stuckHint}`
    : `the orchestrator of the ${side} side is not live now\n` +
        `  found: state ${status.state} (${status.stateName})\n` +
        `  needed: state 0 (live). Run ${run.up} again when it is.${status.state === halted ? `\n  ${moveHalted(run)}` : ""}`;
}

/**
 * Why a signer is not stopped now, by the chain's word on the bridge; undefined where it may be, or nobody tells.
 *
 * @param haltedBridge the operator's word that it moves while the bridge is halted
 */
export function bridgeHinders(bridge: BridgeNow, haltedBridge: boolean, run: Commands): BridgeHindrance | undefined {
  if (!bridge.known || bridge.state === 0 || (bridge.state === halted && haltedBridge)) return undefined;
  const [what, needed] =
    bridge.state === halted
      ? (["the bridge is halted", "a live bridge"] as const)
      : (["the bridge's key generation is at work", "its end: stopping now would lose the key share"] as const);
  const next = `Run ${run.up} again when it is ${bridge.state === halted ? `live. ${moveHalted(run)}` : "over."}`;
  return { what, needed: `${needed} (what getStatus says is up to 40 s older than this)`, found: bridge.why, next };
}

/** What stands in the way, in the parts of a fault's text. */
export interface BridgeHindrance {
  readonly what: string;
  readonly found: string;
  readonly needed: string;
  readonly next: string;
}
