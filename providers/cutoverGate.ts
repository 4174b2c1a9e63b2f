import * as pulumi from "@pulumi/pulumi";
import { chainOfNode, chainOfReference } from "../core/chain/chain";
import type { Network } from "../core/chain/elections";
import type { NodeTarget } from "../core/chain/node";
import { newsOf, type RegistrationLog, writeNews } from "../core/registration/events";
import { lookAtRegistration, readSources, recalled } from "../core/registration/look";
import type { Registration } from "../core/registration/registration";
import { waitForProducing } from "../core/registration/waitForProducing";
import { createConnection } from "../core/ssh/connection";
import { lookAtNode } from "../core/sync/nodeStatus";
import { systemClock } from "../core/util/clock";
import { resolvePath } from "../core/util/resolvePath";
import { DynamicResource } from "./runtime/dynamicResource";
import { watchEngine } from "./runtime/engine";
import { type Notice, sendNotice } from "./runtime/notify";

/** Plain inputs of the gate, as its provider gets them. */
interface CutoverInputs {
  readonly target: NodeTarget;
  readonly producerAddress: string;
  /** The address before this host's, as a look before this one found it: the wallet may have been quicker than the gate. */
  readonly earlier?: string | undefined;
  readonly references: readonly string[];
  /** Momentums by which the node may differ from the references and count as synced. */
  readonly tolerance: number;
  readonly network: Network;
  /** Milliseconds that a run waits. */
  readonly deadline: number;
  /** Whose record it is; the directory as configured, relative to the project. */
  readonly record: RegistrationLog;
  /** A webhook that is told; a secret. */
  readonly notify?: string | undefined;
}

/** The switch; ISO 8601 and the height of a momentum. */
interface CutoverOutputs {
  readonly switchedAt: string;
  readonly height: number;
}

const gateId = "cutover-gate";

/** The wait of create and update, to the end or to an error. */
export async function passCutover(inputs: CutoverInputs): Promise<CutoverInputs & CutoverOutputs> {
  const { target, producerAddress: ours, deadline, record } = inputs;
  const engine = watchEngine();
  const connection = createConnection(target.ssh);
  const notices: Promise<void>[] = [];
  const seen: Pick<CutoverInputs, "earlier"> = { ...(inputs.earlier === undefined ? {} : { earlier: inputs.earlier }) };
  const notify = async (event: Notice["event"], message: string) => {
    if (!inputs.notify) return;
    const title = `Pillar ${record.pillar} (${record.stack}): ${event}`;
    const reason = await sendNotice(inputs.notify, { event, title, message });
    if (reason) console.log(`notify: the webhook (pillar-host:notify) was not told of "${event}": ${reason}`);
  };
  try {
    const { switched } = await waitForProducing(
      { pillar: record.pillar, ours, address: target.ssh.address, deadline },
      {
        look: looker(inputs, connection, seen),
        ...systemClock,
        say: (line) => console.log(line),
        notify: (event, text) => void notices.push(notify(event, text)),
        isWanted: engine.isThere,
      },
    );
    return { ...inputs, switchedAt: new Date(switched.at).toISOString(), height: switched.height };
  } catch (error) {
    // The engine keeps a resource whose error carries these: the next up updates it, and goes on.
    throw Object.assign(error as Error, {
      id: gateId,
      properties: { ...inputs, ...seen },
      reasons: [(error as Error).message],
    });
  } finally {
    if (engine.isThere()) engine.stop();
    connection.drop();
    await Promise.all(notices);
  }
}

/** One look after the other at node and registration, over one connection; what is news goes into the record. */
function looker(
  inputs: CutoverInputs,
  connection: ReturnType<typeof createConnection>,
  seen: { earlier?: string | undefined },
): () => Promise<Registration> {
  const { target, producerAddress: ours, references, tolerance, network } = inputs;
  const record = { ...inputs.record, directory: resolvePath(inputs.record.directory) };
  const own = chainOfNode(`the node of ${target.ssh.address}`, target, connection);
  const clients = [own, ...references.map(chainOfReference)];
  let complained: string | undefined;
  return async () => {
    const [node, readings] = await Promise.all([
      lookAtNode(target, { references, tolerance }, connection),
      readSources(own, references, record.pillar),
    ]);
    const memory = recalled(record, ours, seen.earlier);
    const open = (name: string) => clients.find((client) => client.name === name);
    const now = () => Date.now();
    const registration = await lookAtRegistration({ ours, readings, memory, node, network, open, now });
    if (registration.kind === "earlier") seen.earlier = registration.address;
    const complaint = writeNews(record.directory, newsOf(registration, memory, record, Date.now()));
    if (complaint !== undefined && complaint !== complained) console.log(`cutover: ${complaint}`);
    complained = complaint;
    return registration;
  };
}

/** Keeps the recorded switch where nothing but inputs or the program changed: only another address is another wait. */
async function updateCutover(
  olds: CutoverInputs & Partial<CutoverOutputs>,
  news: CutoverInputs,
): Promise<CutoverInputs & CutoverOutputs> {
  const { switchedAt, height, producerAddress } = olds;
  if (producerAddress !== news.producerAddress || switchedAt === undefined || height === undefined)
    return passCutover({ ...news, ...(producerAddress === news.producerAddress ? earlierOf(olds, news) : {}) });
  return { ...news, switchedAt, height };
}

/** What a wait that ended at its deadline had seen stays known. */
function earlierOf(olds: Partial<CutoverInputs>, news: CutoverInputs): Pick<CutoverInputs, "earlier"> {
  const earlier = olds.earlier ?? news.earlier;
  return earlier === undefined ? {} : { earlier };
}

const provider: pulumi.dynamic.ResourceProvider = {
  create: async (inputs) => ({ id: gateId, outs: await passCutover(inputs) }),
  update: async (_id, olds, news) => ({ outs: await updateCutover(olds, news) }),
};

export interface CutoverGateArgs extends Omit<CutoverInputs, "target" | "producerAddress"> {
  /** How the node is reached. Holds the login: secret. */
  readonly target: pulumi.Input<NodeTarget>;
  readonly producerAddress: pulumi.Input<string>;
}

/**
 * Blocks until momentums carry this host's producer address, and records the switch (pillar-host:cutover.wait).
 *
 * create and update wait; update returns at once where the switch to this address was recorded. delete does nothing. A
 * deadline ends it in an error; the next `up` goes on.
 */
export class CutoverGate extends DynamicResource {
  declare public readonly switchedAt: pulumi.Output<string>;
  /** Of the first momentum with this host's address. */
  declare public readonly height: pulumi.Output<number>;

  constructor(name: string, args: CutoverGateArgs, options: pulumi.CustomResourceOptions) {
    super(
      "CutoverGate",
      provider,
      name,
      {
        ...args,
        target: pulumi.secret(args.target),
        ...(args.notify === undefined ? {} : { notify: pulumi.secret(args.notify) }),
        ...{ switchedAt: undefined, height: undefined },
      },
      // The address before is shown by the run after: nothing to do for a gate that is passed.
      { ...options, ignoreChanges: ["earlier"], additionalSecretOutputs: ["target", "notify"] },
    );
  }
}
