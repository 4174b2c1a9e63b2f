import { nodeRpc } from "../../core/chain/configuredNode";
import type { StackConfig } from "../../core/config/config";
import type { LastRun } from "../lastRun";
import { loginOf } from "../login";
import { guardSettings } from "../retirement/remembered";
import { contactOf } from "./firstLook";
import type { HostArgs } from "./host";

/** What a stack's configuration means for its host, wherever that comes from. */
export async function hostArgs(config: StackConfig, last: LastRun): Promise<HostArgs> {
  return {
    login: loginOf(config),
    contact: contactOf(config, last.finished),
    retirement: await guardSettings(config, last),
    rpc: nodeRpc(config),
  };
}
