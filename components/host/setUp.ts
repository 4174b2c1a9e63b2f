import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../../core/config/config";
import { formatWayBack } from "../../core/registration/registrationMessages";
import { formatProblem } from "../../core/util/problem";
import { HostSetUp } from "../../providers/hostSetUp";
import type { LastRun } from "../lastRun";
import { notifyOperator, warn } from "../log";
import type { HostAccess } from "../login";
import type { SetUpReader } from "../node/nodeReading";

interface SetUpArgs {
  readonly config: StackConfig;
  readonly last: LastRun;
  readonly readSetUp?: SetUpReader | undefined;
}

/** Registers the host's set-up, and returns the access with it: its steps run again on a disk that was set back. */
export function addSetUp<A extends Pick<HostAccess, "address" | "hostKey">>(
  { config, last, readSetUp }: SetUpArgs,
  access: A,
  contact: pulumi.Resource,
  parent: pulumi.Resource,
): A & Pick<HostAccess, "setUp"> {
  if (config.lifecycle !== "active") return access;
  const { address, hostKey } = access;
  // Only an active run that finished has this output.
  const wasSetUp = last.finished && last.registration !== undefined;
  const isFirstPreview = pulumi.runtime.isDryRun() && !last.finished;
  // After the contact, which reports a refused login.
  const lost = pulumi.all([address, hostKey, contact.urn]).apply(async ([at, key]) => {
    const found = isFirstPreview ? undefined : await readSetUp?.(at, key);
    if (found === undefined || !isSetUpLost(found, wasSetUp)) return undefined;
    if (wasSetUp) await reportLostSetUp(at, config, last);
    return new Date().toISOString();
  });
  const setUp = new HostSetUp(
    "host-set-up",
    { address, lost: lost as pulumi.Output<string> },
    { parent, dependsOn: [contact] },
  );
  return { ...access, setUp: setUp.setUp };
}

/**
 * True if a host has nothing of the stack's work. A host that was set up must have lost the node's unit, too: a node
 * whose markers somebody removed is left to run.
 */
export function isSetUpLost(found: readonly string[], wasSetUp: boolean): boolean {
  return wasSetUp ? !found.includes("deploy.done") && !found.includes("unit") : !found.includes("stack");
}

async function reportLostSetUp(address: string, config: StackConfig, last: LastRun): Promise<void> {
  const text = formatLostSetUp(address, config, last);
  await warn(text);
  if (!pulumi.runtime.isDryRun())
    await notifyOperator(config.notify, "setUpLost", { pillar: config.pillar.name, stack: config.stack }, text);
}

export function formatLostSetUp(
  address: string,
  { node, pillar: { name } }: Pick<StackConfig, "node" | "pillar">,
  { registration, producerAddress, orchestrator }: LastRun,
): string {
  return formatProblem({
    what: `${address}: this host is not the one that was set up`,
    found: `neither /var/lib/pillar-host/deploy.done nor the unit ${node.service}, and the same host key: its disk was set back or installed anew`,
    next: [
      "This run sets it up again. Its node gets a new producer key: the key before was on the lost disk.",
      ...(registration?.registered
        ? [
            `${name} was registered with the lost key's address${producerAddress ? ` (${producerAddress})` : ""}, and earns nothing until another one is registered.`,
            formatWayBack(name, registration.earlier),
          ]
        : []),
      orchestrator?.side === "new" &&
        "Its orchestrator was on the lost disk, too, and signs nowhere: docs/orchestrator.md, A host whose disk was set back.",
      "Was another disk meant? Put that disk back, then run the same command again.",
    ],
  });
}
