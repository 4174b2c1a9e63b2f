import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { nodeRpc } from "../../core/settings/login";
import { retirementSettings } from "../../core/settings/retirementInputs";
import type { LastRun } from "../lastRun";
import { loginOf } from "../login";
import { contactOf } from "./firstLook";
import type { HostArgs } from "./host";

/** What a stack's configuration means for its host, wherever that comes from. */
export function hostArgs(config: StackConfig, { finished }: LastRun): HostArgs {
  return {
    login: loginOf(config),
    contact: contactOf(config, finished),
    retirement: retirementSettings(config, pulumi.getStack()),
    rpc: nodeRpc(config),
  };
}
