import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { createLogin } from "../login.ts";
import type { NodeHostReader } from "../node/nodeReading.ts";
import { createGuard } from "../retirement/guard.ts";
import { createContactArgs } from "./firstContact.ts";
import type { Host, ReachableHost } from "./host.ts";

export type HostArgs = ReturnType<typeof createHostArgs>;

/** Returns what every host needs of configuration and last run: login, first contact, set-up and guard's inputs. */
export function createHostArgs(config: StackConfig, last: LastRun, look?: NodeHostReader) {
  return {
    setUp: { config, last, look },
    login: createLogin(config),
    contact: createContactArgs(config, last.finished),
  };
}

/** The component that all resources of a host belong to. Its type is a part of their URNs. */
export class HostComponent extends pulumi.ComponentResource {
  constructor(type: "ExistingHost" | "CloudHost" | "AdoptedServer") {
    super(`pillar-host:host:${type}`, "host");
  }

  /** Registers the host's guard, and ends the component. */
  guard(reachable: Omit<ReachableHost, "config">, args: HostArgs): Host {
    const host = { ...reachable, config: args.setUp.config };
    const guard = createGuard("host-guard", { host, isLast: false }, this);
    this.registerOutputs({ serverId: host.serverId, address: host.access.address, fingerprint: host.fingerprint });
    return { ...host, ready: [guard], guard };
  }
}
