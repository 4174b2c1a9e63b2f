import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { hasOrchestrator } from "../../core/eventLog/orchestratorPresence";
import { findPortProblems, listPortRules, tryPorts } from "../../core/ssh/portRules";
import { warn } from "../log";

/**
 * Tries the host's ports from this machine once the node is deployed, and warns of wrong ones. Skips a cloud server,
 * whose firewall the program sets itself.
 * @param shown the orchestrator's host in the last run: `old` or `new`
 */
export function reportPorts(
  config: StackConfig,
  shown: string | undefined,
  deployed: pulumi.Output<unknown>,
  look = tryPorts,
): pulumi.Output<unknown> {
  const { host, stack } = config;
  if (host.provider !== "existing") return pulumi.output(undefined);
  return deployed.apply(async () => {
    // It is unknown here whether the orchestrator runs, so a silent port of it is no problem.
    const rules = listPortRules(config, await hasOrchestrator(config, stack, shown), {
      node: true,
      orchestrator: false,
    });
    const faults = findPortProblems(await look(host.address, rules));
    if (faults.length > 0)
      await warn([`ports of ${host.address} are wrongly open or closed to this machine:`, ...faults].join("\n  "));
  });
}
