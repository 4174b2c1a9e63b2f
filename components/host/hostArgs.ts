import { createNodeRpc } from "../../core/chain/configuredNode";
import type { StackConfig } from "../../core/config/config";
import type { LastRun } from "../lastRun";
import { createLogin } from "../login";
import { createGuardInputs } from "../retirement/hostMemory";
import { createContactArgs } from "./firstContact";

export type HostArgs = Awaited<ReturnType<typeof createHostArgs>>;

export async function createHostArgs(config: StackConfig, last: LastRun) {
  return {
    login: createLogin(config),
    contact: createContactArgs(config, last.finished),
    /** Inputs of the host's guard. Times in milliseconds. */
    retirement: await createGuardInputs(config, last),
    rpc: createNodeRpc(config),
  };
}
