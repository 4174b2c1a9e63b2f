import { nodeRpc } from "../../core/chain/configuredNode";
import type { StackConfig } from "../../core/config/config";
import type { LastRun } from "../lastRun";
import { loginOf } from "../login";
import { guardSettings } from "../retirement/remembered";
import { contactOf } from "./firstLook";
import type { HostArgs } from "./host";

/** Makes the arguments of a host, wherever it comes from. */
export async function hostArgs(config: StackConfig, last: LastRun): Promise<HostArgs> {
  return {
    login: loginOf(config),
    contact: contactOf(config, last.finished),
    retirement: await guardSettings(config, last),
    rpc: nodeRpc(config),
  };
}
