import { randomUUID } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { readOrderRecord, recordFile } from "../../core/cloud/attempts";
import type { ServerNow } from "../../core/cloud/cloud";
import type { StackConfig } from "../../core/config/config";
import { type EventDetails, readEvents } from "../../core/eventLog/eventLog";
import { hostSeen } from "../../core/retirement/facts";
import { lookOnceAt } from "../../core/retirement/host";
import type { GuardMemory } from "../../core/retirement/inputs";
import { refusalText, unmetLines } from "../../core/retirement/messages";
import { pastEvents } from "../../core/retirement/pastEvents";
import { surveyRetirement } from "../../core/retirement/survey";
import { backupPlace } from "../../core/settings/orchestratorPlaces";
import { retirementInputs } from "../../core/settings/retirementInputs";
import { systemClock } from "../../core/util/clock";
import { withTimeout } from "../../core/util/withTimeout";
import { NodeShutdown } from "../../providers/nodeShutdown";
import { RetirementGuard } from "../../providers/retirementGuard";
import type { Host } from "../host/host";
import type { LastRun } from "../lastRun";

const deps = {
  ...systemClock,
  say: () => undefined,
  saysCollected: false,
};

/** A host that does not answer may boot: in a preview nobody waits for it. Milliseconds. */
const patience = 10_000;

/** Of what a run shows; milliseconds. */
const deadline = 60_000;

/** What stands between a host and its deletion: at once where there is one, and last, behind all that was done on it. */
export function guard(
  config: StackConfig,
  host: Host,
  {
    after = [],
    isLast,
    knownProducer,
  }: { after?: pulumi.Resource[]; isLast: boolean; knownProducer?: pulumi.Output<string> },
): RetirementGuard {
  const { plain, successor, secured } = guardInputs(config, host);
  return new RetirementGuard(
    isLast ? "guard" : "host-guard",
    {
      ...plain,
      isLast,
      isOwnServer: secured.isOwnServer,
      host: secured.host,
      node: secured.node,
      ...successor,
      ...(host.server === undefined ? {} : { server: host.server, serverId: pulumi.unsecret(host.server).id }),
      ...(knownProducer === undefined ? {} : { knownProducer }),
    },
    {
      dependsOn: [...host.ready, ...after],
      // At a cloud provider the server is; a protected guard of a server that is gone could not be replaced.
      protect: host.server === undefined && config.lifecycle !== "retiring",
    },
  );
}

/** What a host's guards carry: what is known before there is a host, and what is not. */
function guardInputs(config: StackConfig, { access, isOrdered = pulumi.output(false) }: Host) {
  const stack = pulumi.getStack();
  const { host: _host, node: _node, successor, ...plain } = retirementInputs(config, stack, "", "", false);
  const secured = pulumi
    .all([access.address, access.hostKey, isOrdered])
    .apply(([address, hostKey, ordered]) => retirementInputs(config, stack, address, hostKey, ordered));
  return { plain, successor: successor === undefined ? {} : { successor }, secured };
}

/**
 * Asks host, successor and chain whether the host may be retired, before anything is registered: the engine lifts the
 * protection of the server before a guard could refuse.
 *
 * @throws RunError with every condition that is not met
 */
export async function checkRetirement(config: StackConfig, last: LastRun): Promise<void> {
  if (last.nodeOff) return;
  const stack = pulumi.getStack();
  const directory = backupPlace(config);
  const { since, begun, recorded, knownProducer } = pastEvents(readEvents(directory, config.pillar.name), stack);
  const { there, place } = await hostLocation(config, last, begun);
  if (there === "gone") return;
  const isOwnServer = there !== undefined && readOrderRecord(recordFile(stack)).ordered === there.id;
  const { address, hostKey } = place;
  if (there && hostKey === undefined && !isOwnServer && !isAdopted(config))
    throw new pulumi.RunError(noKeyText(stack, config, there));
  const inputs = {
    ...retirementInputs(config, stack, address ?? `the host of ${stack}`, hostKey ?? "", isOwnServer),
    ...{ recorded, knownProducer },
  };
  const look =
    address === undefined || hostKey === undefined
      ? { silent: "its address or its key was not shown by the last run" }
      : await lookOnceAt(inputs.host, inputs.library, inputs.places, patience, deps).catch((error: Error) => {
          throw new pulumi.RunError(error.message);
        });
  const memory: GuardMemory = {
    createdAt: since ?? new Date().toISOString(),
    isReached: last.finished || begun !== undefined,
    isOwnWork: begun?.isOwnWork ?? false,
  };
  const { facts, verdict } = await surveyRetirement("retire", inputs, memory, look, directory, deps);
  if (verdict.unmet.length > 0) throw new pulumi.RunError(refusalText(facts, verdict));
}

interface Place {
  readonly address?: string | undefined;
  readonly hostKey?: string | undefined;
}

/**
 * Where the host is: as configured, else as the last run showed it, or, after one that failed, as the record has it; a
 * server as its provider tells. What is known of another server than the one that is there does not count.
 */
async function hostLocation(
  config: StackConfig,
  last: LastRun,
  begun: EventDetails["host"] | undefined,
): Promise<{ there: ServerNow | "gone" | undefined; place: Place }> {
  const { host } = config;
  const known = { ...begun, ...last };
  if (host.provider !== "existing") {
    // Loaded where it is needed: the clouds' libraries are large.
    const { serverThere } = await import("../host/serverThere");
    const there = await serverThere(config, host, known.serverId);
    const isOther = typeof there === "object" && known.serverId !== undefined && known.serverId !== there.id;
    const address = (isOther ? undefined : known.address) ?? (typeof there === "object" ? there.address : undefined);
    return { there, place: { address, hostKey: host.hostKey ?? (isOther ? undefined : known.hostKey) } };
  }
  const hostKey = host.hostKey ?? (host.address === known.address ? known.hostKey : undefined);
  if (hostKey === undefined)
    throw new pulumi.RunError(
      `pillar-host:host.hostKey: needed to retire ${host.address}, which this stack never logged in to; nothing was changed\n` +
        `  Get it with: ssh-keyscan -t ed25519 ${host.address}, and compare it with the host's console`,
    );
  return { there: undefined, place: { address: host.address, hostKey } };
}

function isAdopted({ host }: StackConfig): boolean {
  return host.provider !== "existing" && host.importId !== undefined;
}

function noKeyText(stack: string, { host }: StackConfig, { id, name, address }: ServerNow): string {
  return [
    `pillar-host:host.hostKey: needed to retire server ${name} (${id}) at ${host.provider}, ${address ?? "without an address"}; nothing was changed`,
    `  found: no key of it in the last run of ${stack}, nor in the record of the migration on this machine: it may be a live Pillar`,
    "  needed: its key as its screen shows it: cat /etc/ssh/ssh_host_ed25519_key.pub",
    "  pulumi config set --path pillar-host:host.hostKey 'ssh-ed25519 AAAA…' && pulumi up",
  ].join("\n");
}

/** A host on which nothing is deployed: adopted as it is, or shut down to be given up. @returns outputs */
export function standBy(config: StackConfig, host: Host, last: LastRun) {
  const stack = pulumi.getStack();
  const first = guard(config, host, { isLast: false });
  if (config.lifecycle === "adopted") {
    guard(config, host, { isLast: true, after: [first] });
    return { nextStep: nextForAdopted(stack) };
  }
  const { plain, successor, secured } = guardInputs(config, host);
  const memory = pulumi
    .all([first.createdAt, first.isReached, first.isOwnWork])
    .apply(([createdAt, isReached, isOwnWork]) => ({ createdAt, isReached, isOwnWork }));
  const shutdown = new NodeShutdown(
    "node-shutdown",
    {
      ...plain,
      ...successor,
      isOwnServer: secured.isOwnServer,
      host: secured.host,
      node: secured.node,
      memory,
      run: last.nodeOff ? undefined : randomUUID(),
    },
    { dependsOn: [first] },
  );
  guard(config, host, { isLast: true, after: [first, shutdown] });
  const next = pulumi
    .all([shutdown.isOff, secured, memory])
    .apply(([isOff, inputs, remembered]) => nextForRetired(config, stack, isOff, inputs, remembered));
  return { retirement: { nodeOff: shutdown.isOff }, nextStep: pulumi.unsecret(next) };
}

function nextForAdopted(stack: string): string[] {
  return [
    "This host is left as it is. When its Pillar produces elsewhere, name its successor and retire it:",
    `  pulumi config set --path pillar-host:retirement.successor.address ADDRESS -s ${stack}`,
    `  pulumi config set --path pillar-host:retirement.successor.hostKey 'ssh-ed25519 AAAA…' -s ${stack}`,
    `  pulumi config set pillar-host:lifecycle retiring -s ${stack} && pulumi up -s ${stack}`,
  ];
}

/** What stands in the way of the destroy now: looked up anew in every run, and never thrown. */
async function nextForRetired(
  config: StackConfig,
  stack: string,
  isOff: boolean,
  inputs: ReturnType<typeof retirementInputs>,
  memory: GuardMemory,
): Promise<string[]> {
  const shut = isOff
    ? "The node of this host is off, and stays off."
    : "The node of this host could not be stopped: it does not answer.";
  const directory = backupPlace(config);
  try {
    const { recorded } = pastEvents(readEvents(directory, config.pillar.name), stack);
    const look = await lookOnceAt(inputs.host, inputs.library, inputs.places, 0, deps);
    const seen = hostSeen(look, config.host.provider === "existing" ? undefined : config.host.provider);
    const { verdict } = await withTimeout(
      surveyRetirement("destroy", { ...inputs, recorded }, memory, seen, directory, deps),
      deadline,
      `no answer within ${deadline / 1000} s`,
    );
    if (verdict.unmet.length === 0) return [shut, `Nothing stands in the way any more: pulumi destroy -s ${stack}`];
    return [
      shut,
      `pulumi destroy -s ${stack} is refused until this is met, and looks again itself:`,
      ...verdict.unmet.flatMap(unmetLines).map((line) => `  ${line}`),
    ];
  } catch (error) {
    return [
      shut,
      `What stands in the way of pulumi destroy can't be told now: ${(error as Error).message.split("\n")[0]}`,
    ];
  }
}
