import * as pulumi from "@pulumi/pulumi";
import type { ServerNow } from "../../core/cloud/cloud";
import { openOrderRecords } from "../../core/cloud/orderRecord";
import type { StackConfig } from "../../core/config/config";
import { openStackStore } from "../../core/config/stackStore";
import type { EventDetails } from "../../core/eventLog/events";
import { assembleGuardMemory } from "../../core/retirement/guardMemory";
import { readHostOnce } from "../../core/retirement/readHost";
import { formatRefusal } from "../../core/retirement/refusalText";
import { createRetirementInputs } from "../../core/retirement/retirementInputs";
import { surveyRetirement } from "../../core/retirement/surveyRetirement";
import { systemClock } from "../../core/util/clock";
import { commandsFor, someHostKey } from "../../core/util/commands";
import { formatProblem } from "../../core/util/problem";
import { readServer } from "../host/readServer";
import type { LastRun } from "../lastRun";
import { readHostMemory } from "./hostMemory";

/** Dependencies of a lookup that prints nothing and accepts no acknowledgement of the operator. */
export const readOnlyDeps = {
  ...systemClock,
  say: () => undefined,
  saysCollected: false,
};

/** Milliseconds to wait for a host that does not answer: it may be booting. */
const contactTimeoutMs = 10_000;

/** Checks whether the host may be retired, before the engine lifts the server's protection. @throws RunError */
export async function checkRetirement(config: StackConfig, last: LastRun): Promise<void> {
  if (last.nodeOff) return;
  const stack = pulumi.getStack();
  const past = await readHostMemory(config, last);
  const { there, place } = await findHost(config, last, past.location);
  if (there === "gone") return;
  const isOwnServer = there !== undefined && (await openOrderRecords(config, stack).read()).ordered === there.id;
  const { address, hostKey } = place;
  if (there && hostKey === undefined && !isOwnServer && !isAdopted(config))
    throw new pulumi.RunError(formatMissingKey(stack, config, there));
  const inputs = {
    ...createRetirementInputs(config, {
      address: address ?? `the host of ${stack}`,
      hostKey: hostKey ?? "",
      isOwnServer,
    }),
    recorded: past.recorded,
    knownProducer: past.knownProducer,
  };
  const look =
    address === undefined || hostKey === undefined
      ? { silent: "this stack does not know the host's address or host key" }
      : await readHostOnce(inputs, contactTimeoutMs, readOnlyDeps).catch((error: Error) => {
          throw new pulumi.RunError(error.message);
        });
  const memory = assembleGuardMemory(past, last.finished || past.isReached);
  const question = { step: "retire" as const, inputs, memory, host: look, store: openStackStore(config) };
  const { facts, verdict } = await surveyRetirement(question, readOnlyDeps);
  if (verdict.unmet.length > 0) throw new pulumi.RunError(formatRefusal(facts, verdict));
}

interface Place {
  readonly address?: string | undefined;
  readonly hostKey?: string | undefined;
}

/**
 * Finds the host's address and key (configuration, last run or event log), and its server at the provider. Ignores
 * facts of another server.
 */
async function findHost(
  config: StackConfig,
  last: LastRun,
  location: EventDetails["host"] | undefined,
): Promise<{ there: ServerNow | "gone" | undefined; place: Place }> {
  const { host } = config;
  const known = {
    address: last.address ?? location?.address,
    hostKey: last.hostKey ?? location?.hostKey,
    serverId: last.serverId ?? location?.serverId,
  };
  if (host.provider !== "existing") {
    const there = await readServer(config, host, known.serverId);
    const isOther = typeof there === "object" && known.serverId !== undefined && known.serverId !== there.id;
    const address = (isOther ? undefined : known.address) ?? (typeof there === "object" ? there.address : undefined);
    return { there, place: { address, hostKey: host.hostKey ?? (isOther ? undefined : known.hostKey) } };
  }
  const hostKey = host.hostKey ?? (host.address === known.address ? known.hostKey : undefined);
  const run = commandsFor(config.stack);
  if (hostKey === undefined)
    throw new pulumi.RunError(
      formatProblem({
        what: `pillar-host:host.hostKey: needed to retire ${host.address}, which this stack never logged in to; nothing was changed`,
        needed: `run ssh-keyscan -t ed25519 ${host.address}, and compare the key with the host's console`,
        next: `${run.set("host.hostKey", someHostKey)} && ${run.up}`,
      }),
    );
  return { there: undefined, place: { address: host.address, hostKey } };
}

function isAdopted({ host }: StackConfig): boolean {
  return host.provider !== "existing" && host.importId !== undefined;
}

function formatMissingKey(stack: string, { host }: StackConfig, { id, name, address }: ServerNow): string {
  const { set, up } = commandsFor(stack);
  return formatProblem({
    what: `pillar-host:host.hostKey: needed to retire server ${name} (${id}) at ${host.provider}, ${address ?? "without an address"}; nothing was changed`,
    found: `the last run of ${stack} and the event log have no host key of this server: it may be a live Pillar`,
    needed: "read the host key on the server's console: cat /etc/ssh/ssh_host_ed25519_key.pub",
    next: `${set("host.hostKey", someHostKey)} && ${up}`,
  });
}
