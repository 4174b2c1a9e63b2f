import { execa } from "execa";
import { hostNamespace, type IpCommand, operatorAddress, operatorNamespace, releasePorts } from "../hosts/network.ts";
import type { Lab } from "../lab.ts";
import { holdsOn, runOn } from "./hostFaults.ts";
import * as scripts from "./hostScripts.ts";
import { type FaultKind, oneOf } from "./kind.ts";

/** Routing rules of a fault in a namespace of the lab, so they outlast a reboot. */
export interface RulePlace {
  readonly namespace: string;
  /** Priority that tells the fault's rules from others. */
  readonly priority: string;
}

/** Returns a command for a rule that refuses TCP packets or drops them. */
export function addRule({ namespace, priority }: RulePlace, selector: readonly string[]): IpCommand {
  return ["-n", namespace, "rule", "add", "priority", priority, "ipproto", "tcp", ...selector];
}

async function isRuled({ namespace, priority }: RulePlace): Promise<boolean> {
  const { stdout } = await execa("ip", ["-n", namespace, "rule", "list", "priority", priority], { reject: false });
  return stdout.trim() !== "";
}

async function unrule(place: RulePlace): Promise<void> {
  while (await isRuled(place)) {
    await execa("ip", ["-n", place.namespace, "rule", "del", "priority", place.priority]);
  }
}

/**
 * Returns the places of the rules: on the host, towards the release server, and on the operator's machine, where every
 * host has its own priority.
 */
function routePlaces(lab: Lab, host: string): { here: RulePlace; there: RulePlace } {
  const last = lab.host(host).address.split(".").at(-1) ?? "";
  return {
    here: { namespace: hostNamespace(lab.name, host), priority: "7701" },
    there: { namespace: operatorNamespace(lab.name), priority: `8${last.padStart(3, "0")}` },
  };
}

const noRoute: FaultKind = {
  does: "no way to the release server: refused at once, or packets that vanish",
  value: { form: "unreachable|silent", byDefault: "unreachable" },
  set: async (lab, host, value) => {
    const how = oneOf(value || "unreachable", "unreachable", "silent");
    await noRoute.heal(lab, host);
    const { here, there } = routePlaces(lab, host);
    for (const port of releasePorts) {
      const refused = addRule(here, ["to", operatorAddress, "dport", `${port}`, "unreachable"]);
      // A blackhole on the host would fail the connection at once: drop the answers instead.
      const lost = addRule(there, ["to", lab.host(host).address, "sport", `${port}`, "blackhole"]);
      await execa("ip", how === "silent" ? lost : refused);
    }
  },
  heal: async (lab, host) => {
    for (const place of Object.values(routePlaces(lab, host))) await unrule(place);
  },
  isOn: async (lab, host) => {
    if (!lab.hostNames.includes(host)) return false;
    const { here, there } = routePlaces(lab, host);
    return (await isRuled(here)) || (await isRuled(there));
  },
};

const sshPlace = (lab: Lab, host: string): RulePlace => ({
  namespace: hostNamespace(lab.name, host),
  priority: "7702",
});

const sshCut: FaultKind = {
  does: "ssh connections end; refused: and none is taken; silent: all hang, none ends",
  value: { form: "once|refused|silent", byDefault: "once" },
  set: async (lab, host, value) => {
    const how = oneOf(value || "once", "once", "refused", "silent");
    await sshCut.heal(lab, host);
    if (how === "silent") await execa("ip", addRule(sshPlace(lab, host), ["sport", "22", "blackhole"]));
    else await runOn(lab, host, how === "refused" ? scripts.stopSsh : scripts.endSshSessions);
  },
  heal: async (lab, host) => {
    await unrule(sshPlace(lab, host));
    if (await holdsOn(lab, host, scripts.isSshStopped)) await runOn(lab, host, scripts.startSsh);
  },
  isOn: async (lab, host) =>
    lab.hostNames.includes(host) &&
    ((await isRuled(sshPlace(lab, host))) || (await holdsOn(lab, host, scripts.isSshStopped))),
};

/** Faults of a host's network. */
export const networkFaults = {
  "no-route": noRoute,
  "ssh-cut": sshCut,
} as const satisfies Record<string, FaultKind>;
