import { openNodeChain } from "../core/chain/chain";
import type { Network } from "../core/chain/elections";
import type { NodeTarget } from "../core/chain/node";
import { type LogRef, openEventLog } from "../core/eventLog/eventLog";
import type { Notice } from "../core/notify/notify";
import { readSources } from "../core/registration/pillarReadings";
import type { Registration } from "../core/registration/registration";
import { judgeRegistration, noteRegistration, readRegistrationMemory } from "../core/registration/registrationLookup";
import { findRegistrationNotices } from "../core/registration/registrationNotices";
import { waitForProducing } from "../core/registration/waitForProducing";
import { createConnection } from "../core/ssh/connection";
import type { WitnessSources } from "../core/sync/chainSources";
import { readNodeStatus } from "../core/sync/nodeStatus";
import { systemClock } from "../core/util/clock";
import { say } from "../core/util/say";
import { decideWait, type WaitMode } from "../core/util/unattended";
import { defineResource } from "./runtime/dynamicResource";
import { keepResults } from "./runtime/provider";
import type { ProviderRun } from "./runtime/resourceTable";

/**
 * Blocks until momentums carry this host's producer address, and stores the switch (pillar-host:cutover.wait). create
 * and update wait, unless the switch to this address is stored. delete does nothing. At the deadline the run fails; the
 * next `up` resumes the wait.
 */
export class CutoverGate extends defineResource<CutoverInputs, CutoverOutputs>({
  type: "CutoverGate",
  id: () => "cutover-gate",
  create: passCutover,
  // Waits again only for another address.
  update: async (olds, news, run) => {
    const { switchedAt, height } = olds;
    if (olds.producerAddress !== news.producerAddress) return passCutover(news, run);
    if (switchedAt === undefined || height === undefined)
      return passCutover({ ...news, ...keepEarlier(olds, news) }, run);
    return { switchedAt, height };
  },
  secretInputs: ["target", "witnessHost", "notify"],
  outputs: { switchedAt: "plain", height: "plain" },
  // A change of the address before is no reason to update a gate that has passed.
  options: { ignoreChanges: ["earlier"] },
}) {}

interface CutoverInputs extends WitnessSources {
  readonly target: NodeTarget;
  readonly producerAddress: string;
  /** The address before this host's, as an earlier lookup saw it. The wallet may be updated before the gate starts. */
  readonly earlier?: string | undefined;
  readonly network: Network;
  /** Milliseconds that one run waits. */
  readonly deadline: number;
  readonly wait?: WaitMode | undefined;
  /** The event log; its directory as configured, relative to the project. */
  readonly record: LogRef;
  /** The URL of a webhook. Secret. */
  readonly notify?: string | undefined;
}

/** The switch, with the time in ISO 8601. */
interface CutoverOutputs extends Pick<CutoverInputs, "earlier"> {
  readonly switchedAt: string;
  /** Height of the first momentum with this host's address. */
  readonly height: number;
}

/** Waits for the switch. @throws KeptError at the deadline, with the address that was registered before */
export async function passCutover(inputs: CutoverInputs, { signal, tell }: ProviderRun): Promise<CutoverOutputs> {
  const { target, producerAddress: ours, deadline, record } = inputs;
  const connection = createConnection(target.ssh);
  const seen = { earlier: inputs.earlier };
  const notify = (event: Notice["event"], message: string) =>
    tell(inputs.notify, { event, title: `Pillar ${record.pillar} (${record.stack}): ${event}`, message });
  try {
    const { switched } = await waitForProducing(
      { ...record, ours, address: target.ssh.address, deadline, isOnce: decideWait(inputs.wait) === "await" },
      {
        look: createRegistrationReader(inputs, connection, seen, notify),
        ...systemClock,
        say,
        notify,
        signal,
      },
    );
    return { earlier: inputs.earlier, switchedAt: new Date(switched.at).toISOString(), height: switched.height };
  } catch (error) {
    throw keepResults(error as Error, seen);
  } finally {
    connection.drop();
  }
}

/** Returns a function that reads node and registration over one connection, and appends changes to the event log. */
function createRegistrationReader(
  inputs: CutoverInputs,
  connection: ReturnType<typeof createConnection>,
  seen: { earlier?: string | undefined },
  notify: (event: Notice["event"], message: string) => void,
): () => Promise<Registration> {
  const { target, producerAddress: ours, references, network } = inputs;
  const log = openEventLog(inputs.record, { ...systemClock, say: (line) => say(`cutover: ${line}`) });
  const own = openNodeChain(`the node of ${target.ssh.address}`, target, connection);
  return async () => {
    const [node, readings] = await Promise.all([
      readNodeStatus(target, inputs, connection),
      readSources(own, references, inputs.record.pillar, target.ssh.address),
    ]);
    const memory = await readRegistrationMemory(inputs.record, ours, seen.earlier);
    const now = () => Date.now();
    const registration = await judgeRegistration({ ours, readings, memory, node, network, now });
    if (registration.kind === "earlier") seen.earlier = registration.address;
    const news = await noteRegistration(log, registration, { stack: inputs.record.stack, ours, memory });
    // The wait sends the notification about its end itself, even if the event log already has the event.
    for (const { event, message } of findRegistrationNotices(news, registration, inputs.record, Date.now()))
      if (event !== "producing") notify(event, message);
    return registration;
  };
}

function keepEarlier(olds: Partial<CutoverInputs>, news: CutoverInputs): Pick<CutoverInputs, "earlier"> {
  return { earlier: olds.earlier ?? news.earlier };
}
