import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { hasSigner } from "../../core/eventLog/orchestratorPresence";
import { lookAtPorts, portFaults, portRules } from "../../core/ssh/portRules";
import { warn } from "../log";

/**
 * Tries the ports of a server that was there already from this machine, once its node is deployed, and says what is wrong
 * with them; changes nothing. At a provider the program sets the firewall itself.
 *
 * @param shown the side that the signer was on, as the last run showed it
 * @returns what resolves once it is told
 */
export function reportPorts(
  config: StackConfig,
  shown: string | undefined,
  deployed: pulumi.Output<unknown>,
  look = lookAtPorts,
): pulumi.Output<unknown> {
  const { host, stack } = config;
  if (host.provider !== "existing") return pulumi.output(undefined);
  return deployed.apply(async () => {
    // The orchestrator's state is not known here.
    const rules = portRules(config, await hasSigner(config, stack, shown), { node: true, signer: false });
    const faults = portFaults(await look(host.address, rules)).map(({ text }) => text);
    if (faults.length > 0)
      await warn([`the ports of ${host.address}, tried from this machine:`, ...faults].join("\n  "));
  });
}
