import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { formatWayBack } from "../../core/registration/registrationMessages.ts";
import { isSameHost } from "../../core/ssh/publicKey.ts";
import { formatProblem } from "../../core/util/problem.ts";
import { HostSetUp } from "../../providers/hostSetUp.ts";
import { notifyOperator, warn } from "../log.ts";
import type { HostAccess } from "../login.ts";
import type { SetUpReading } from "../node/nodeReading.ts";
import type { HostArgs } from "./hostComponent.ts";

/** Registers the host's set-up, and returns the access with it, by which all steps run again on a disk that was set back. */
export function addSetUp(
  { config, last, look }: HostArgs["setUp"],
  access: HostAccess,
  contact: pulumi.Resource,
  parent: pulumi.Resource,
): HostAccess {
  if (config.lifecycle !== "active") return access;
  const { address, hostKey, loginCheck } = access;
  // After the contact, which reports a refused login. A preview makes none, and --target may leave it out.
  const lost = pulumi.all([address, hostKey, contact.urn]).apply(async ([at, key]) => {
    const found = last.finished || loginCheck.hasPassed() ? await (await look?.(at, key))?.setUp : undefined;
    // Only an active run that finished has this output. With another key it is another machine, which has lost nothing.
    const wasSetUp =
      last.finished && last.registration !== undefined && isSameHost(last, { address: last.address, hostKey: key });
    if (found === undefined || !isSetUpLost(found, wasSetUp)) return undefined;
    const text = formatLostSetUp(at, config, last);
    if (wasSetUp) await warn(text);
    if (wasSetUp && !pulumi.runtime.isDryRun()) await notifyOperator(config, "failed", text);
    return new Date().toISOString();
  }) as pulumi.Output<string>;
  return { ...access, setUp: new HostSetUp("host-set-up", { address, lost }, { parent, dependsOn: [contact] }).setUp };
}

/** True if a host has nothing of the stack. A node whose markers somebody removed after the set-up is left to run. */
export function isSetUpLost({ marks, hasUnit }: SetUpReading, wasSetUp: boolean): boolean {
  return wasSetUp ? !("deploy.done" in marks) && !hasUnit : !("stack" in marks);
}

export function formatLostSetUp(
  address: string,
  { node, pillar: { name } }: Pick<StackConfig, "node" | "pillar">,
  { registration, producerAddress = "not known here", orchestrator }: LastRun,
): string {
  const isRegistered = registration?.registered === true;
  return formatProblem({
    what: `${address}: this host is not the one that was set up`,
    found: `neither /var/lib/pillar-host/deploy.done nor the unit ${node.service}, and the same host key: its disk was set back or installed anew`,
    next: [
      "This run sets it up again. Its node gets a new producer key: the key before was on the lost disk.",
      isRegistered &&
        `${name} was registered with the lost key's address (${producerAddress}), and earns nothing until another one is registered.`,
      isRegistered && formatWayBack(name, registration.earlier),
      orchestrator?.side === "new" &&
        "Its orchestrator was on the lost disk, too, and signs nowhere: docs/orchestrator.md, A host whose disk was set back.",
      "Was another disk meant? Put that disk back, then run the same command again.",
    ],
  });
}
