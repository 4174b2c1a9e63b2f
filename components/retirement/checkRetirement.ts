import * as pulumi from "@pulumi/pulumi";
import { findOrder } from "../../core/cloud/cloud.ts";
import { readServer } from "../../core/cloud/clouds.ts";
import { openOrderRecords } from "../../core/cloud/orderRecord.ts";
import type { StackConfig } from "../../core/config/config.ts";
import { openStackStore } from "../../core/config/stackStore.ts";
import { readStackEvents } from "../../core/eventLog/eventLog.ts";
import type { EventDetails } from "../../core/eventLog/events.ts";
import { findValidEvents } from "../../core/eventLog/guardFacts.ts";
import type { LastRun } from "../../core/journey/outputs.ts";
import { readHostOnce } from "../../core/retirement/readHost.ts";
import { formatRefusal } from "../../core/retirement/refusalText.ts";
import { createRetirementInputs } from "../../core/retirement/retirementInputs.ts";
import { surveyRetirement } from "../../core/retirement/surveyRetirement.ts";
import { systemClock } from "../../core/util/clock.ts";
import { commandsFor, someHostKey } from "../../core/util/commands.ts";
import { ProblemError } from "../../core/util/problem.ts";

/** Dependencies of a lookup that prints nothing and accepts no acknowledgement of the operator. */
export const readOnlyDeps = { ...systemClock, say: () => undefined };

/** Milliseconds to wait for a host that does not answer: it may be booting. */
const contactTimeoutMs = 10_000;

/** Checks whether the host may be retired, before the engine lifts the server's protection. @throws if it may not */
export async function checkRetirement(config: StackConfig, last: LastRun): Promise<void> {
  if (last.nodeOff) return;
  const events = await readStackEvents(config);
  const location = findValidEvents(events, config.stack, "location").at(-1)?.details;
  const place = await findHost(config, last, location);
  if (place === "gone") return;
  const { address, hostKey, isOwnServer, orderedAt } = place;
  const shown = { address: address ?? `the host of ${config.stack}`, hostKey: hostKey ?? "", isOwnServer, orderedAt };
  const inputs = { ...createRetirementInputs(config, shown), knownProducer: last.producerAddress };
  const host =
    address === undefined || hostKey === undefined
      ? { silent: "this stack does not know the host's address or host key" }
      : await readHostOnce(inputs, contactTimeoutMs, readOnlyDeps);
  const memory = {
    createdAt: new Date().toISOString(),
    isReached: last.finished || findValidEvents(events, config.stack, "reached").length > 0,
    isOwnWork: location?.isOwnWork === true,
  };
  const question = { step: "retire" as const, inputs, memory, host, store: openStackStore(config) };
  const { facts, verdict } = await surveyRetirement(question, readOnlyDeps);
  if (verdict.unmet.length > 0) throw new pulumi.RunError(formatRefusal(facts, verdict));
}

/**
 * Finds the host's address and key (configuration, last run or event log). Ignores facts of another server.
 * @throws ProblemError if the key of a host that may be a live Pillar is unknown
 */
async function findHost(config: StackConfig, last: LastRun, location?: EventDetails["host"]) {
  const { host, stack } = config;
  const known = {
    address: last.address ?? location?.address,
    hostKey: last.hostKey ?? location?.hostKey,
    serverId: last.serverId ?? location?.serverId,
  };
  if (host.provider === "existing") {
    const hostKey = host.hostKey ?? (host.address === known.address ? known.hostKey : undefined);
    if (hostKey === undefined) throw createMissingKeyError(stack, host.address);
    return { address: host.address, hostKey, isOwnServer: false, orderedAt: undefined };
  }
  const server = await readServer(config, host, known.serverId);
  if (server === "gone") return "gone" as const;
  const isOther = server !== undefined && known.serverId !== undefined && known.serverId !== server.id;
  const address = (isOther ? undefined : known.address) ?? server?.address;
  const hostKey = host.hostKey ?? (isOther ? undefined : known.hostKey);
  const sent = findOrder((await openOrderRecords(config).read()).sent, server?.order);
  const isOwnServer = sent !== undefined;
  if (server && hostKey === undefined && !isOwnServer && host.importId === undefined)
    throw createMissingKeyError(stack, `server ${server.name} (${server.id}) at ${host.provider}`);
  return { address, hostKey, isOwnServer, orderedAt: sent?.at };
}

function createMissingKeyError(stack: string, host: string): ProblemError {
  const { set, up } = commandsFor(stack);
  return new ProblemError({
    what: `pillar-host:host.hostKey: needed to retire ${host}, which this stack never logged in to; nothing was changed`,
    needed: "read the host key on the host's console: cat /etc/ssh/ssh_host_ed25519_key.pub",
    next: `${set("host.hostKey", someHostKey)} && ${up}`,
  });
}
