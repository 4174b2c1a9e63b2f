import { createNodeRpc } from "../../core/chain/configuredNode";
import type { StackConfig } from "../../core/config/config";
import type { LastRun } from "../lastRun";
import { createLogin } from "../login";
import { createGuardInputs } from "../retirement/hostMemory";
import { createContactArgs } from "./firstContact";
import type { HostArgs } from "./host";

export async function createHostArgs(config: StackConfig, last: LastRun): Promise<HostArgs> {
  return {
    login: createLogin(config),
    contact: createContactArgs(config, last.finished),
    retirement: await createGuardInputs(config, last),
    rpc: createNodeRpc(config),
  };
}
