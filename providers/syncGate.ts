import * as pulumi from "@pulumi/pulumi";
import { createNodeClient, type NodeTarget } from "../core/chain/node";
import { type EarlyWalletWatch, readAddressDigest, watchForEarlyWallet } from "../core/registration/earlyWallet";
import { newsOf, writeNews } from "../core/registration/events";
import { readSources, recalled } from "../core/registration/look";
import { isOurs } from "../core/registration/registration";
import { type Connection, createConnection } from "../core/ssh/connection";
import { readHostFacts } from "../core/ssh/hostFacts";
import { readReference } from "../core/sync/references";
import { type GateSettings, type GaveUp, type SyncRecord, waitForSync } from "../core/sync/waitForSync";
import { createWaitRecord, type WaitLog } from "../core/sync/waits";
import { systemClock } from "../core/util/clock";
import { resolvePath } from "../core/util/resolvePath";
import { durationText } from "../core/util/timeText";
import { DynamicResource } from "./runtime/dynamicResource";
import { watchEngine } from "./runtime/engine";
import { type Notice, sendNotice } from "./runtime/notify";

/** Plain inputs of the gate, as its provider gets them. */
interface GateInputs extends GateSettings {
  /** Addresses of independent nodes' RPC. */
  readonly references: readonly string[];
  readonly target: NodeTarget;
  /** Whose node it is, for notices. */
  readonly title: string;
  /** The text that shows the host's facts, for `bash -euo pipefail -s` as the login user. */
  readonly factsScript: string;
  /** The text that shows the digest of the host's producer address, likewise. */
  readonly addressScript?: string | undefined;
  /** A webhook that is told; a secret. */
  readonly notify?: string | undefined;
  /** Where the wait is recorded; states of before it was have none. */
  readonly record?: WaitLog;
}

/** What the gate keeps: the proof, or where a wait stood that gave up. Times are ISO 8601, durations seconds. */
interface GateOutputs {
  readonly state?: number;
  readonly currentHeight?: number;
  readonly targetHeight?: number;
  readonly startHeight?: number | undefined;
  readonly startedAt: string;
  readonly syncedAt?: string;
  readonly durationSeconds?: number;
  /** Momentums per second from the first look to the last. */
  readonly rate?: number;
  readonly proved?: readonly string[];
  readonly unproved?: readonly string[];
  /** Of a wait that gave up: the address that the Pillar was registered with. */
  readonly earlier?: string;
}

/** The wait of create and update, to the end or to an error that keeps what it saw. */
export async function passGate(inputs: GateInputs, before: Partial<GateOutputs>): Promise<GateOutputs> {
  const engine = watchEngine();
  const { address } = inputs.target.ssh;
  const kept = createWaitRecord(inputs.record, address, Date.now, (line) => console.log(line));
  // The state of a run that was killed has no start; the record has.
  const startedAt = Date.parse(before.startedAt ?? kept.before.startedAt ?? new Date().toISOString());
  const startHeight = before.startHeight ?? kept.before.startHeight;
  const connection = createConnection(inputs.target.ssh);
  const start = { startedAt: new Date(startedAt).toISOString(), startHeight };
  const client = kept.traced(createNodeClient(inputs.target, connection), start);
  const notices: Promise<void>[] = [];
  const notify = async (event: Notice["event"], message: string) => {
    if (!inputs.notify) return;
    const reason = await sendNotice(inputs.notify, { event, title: `${inputs.title}: ${event}`, message });
    if (reason) console.log(`notify: the webhook (pillar-host:notify) was not told of "${event}": ${reason}`);
  };
  const wallet = earlyWallet(inputs, connection, before.earlier, (text) =>
    notices.push(notify("registeredTooEarly", text)),
  );
  console.log(
    `sync: watching the node on ${inputs.target.ssh.address}, for days if need be. To stop: Ctrl-C twice, or close the machine; ` +
      "pulumi up goes on from here.",
  );
  try {
    const record = await waitForSync(
      {
        ...inputs,
        startedAt,
        startHeight,
        address,
      },
      {
        client,
        readReferences: () => Promise.all(inputs.references.map((url) => readReference(url))),
        ...systemClock,
        say: (line) => console.log(line),
        notify: (event, message) => void notices.push(notify(event, message)),
        readFacts: () => readHostFacts(connection, inputs.factsScript),
        isWanted: engine.isThere,
        meanwhile: () => wallet?.turn(),
      },
    );
    const outputs = outputsOf(record);
    kept.end(record);
    for (const gap of record.unproved) console.log(`sync: not proved: ${gap}`);
    console.log(
      `sync: synced at height ${record.currentHeight} after ${durationText(record.syncedAt - record.startedAt)}`,
    );
    return outputs;
  } catch (error) {
    const { gaveUp } = error as Partial<GaveUp>;
    if (!gaveUp) throw error;
    kept.pause();
    // A key without a value can't be sent to the engine.
    const height = gaveUp.startHeight === undefined ? {} : { startHeight: gaveUp.startHeight };
    await wallet?.settled();
    const earlier = wallet?.earlier();
    const registered = earlier === undefined ? {} : { earlier };
    const outputs: GateOutputs = { startedAt: start.startedAt, ...height, ...registered };
    // The engine keeps a resource whose error carries these: the next up goes on with its history.
    throw Object.assign(error as Error, {
      id: gateId,
      properties: { ...inputs, ...outputs },
      reasons: [(error as Error).message],
    });
  } finally {
    await wallet?.settled();
    if (engine.isThere()) engine.stop();
    client.close();
    await Promise.all(notices);
  }
}

const gateId = "sync-gate";

/** The watch for an update in the wallet that comes too early, where there are references to ask. */
function earlyWallet(
  { references, addressScript, record }: GateInputs,
  connection: Connection,
  before: string | undefined,
  tell: (text: string) => void,
): EarlyWalletWatch | undefined {
  if (references.length === 0 || addressScript === undefined || record === undefined) return undefined;
  const place = { ...record, directory: resolvePath(record.directory) };
  return watchForEarlyWallet(record.pillar, before, {
    read: () => readSources(undefined, references, record.pillar),
    digest: () => readAddressDigest(connection, addressScript),
    ...systemClock,
    say: (line) => console.log(line),
    tell,
    record: (registration) => {
      if (!isOurs(registration)) return;
      const memory = recalled(place, registration.address);
      const complaint = writeNews(place.directory, newsOf(registration, memory, place, Date.now()));
      if (complaint !== undefined) console.log(`sync: ${complaint}`);
    },
  });
}

/** What is recorded of a finished wait (pure). */
export function outputsOf(record: SyncRecord): GateOutputs {
  const seconds = Math.round((record.syncedAt - record.startedAt) / 1000);
  const gained = record.currentHeight - record.startHeight;
  return {
    state: record.state,
    currentHeight: record.currentHeight,
    targetHeight: record.targetHeight,
    startHeight: record.startHeight,
    startedAt: new Date(record.startedAt).toISOString(),
    syncedAt: new Date(record.syncedAt).toISOString(),
    durationSeconds: seconds,
    rate: seconds > 0 ? Math.round((gained / seconds) * 10) / 10 : 0,
    proved: record.proved,
    unproved: record.unproved,
  };
}

/** Keeps the recorded proof when nothing but inputs or the program changed: a live producer is never waited for. */
export async function updateGate(olds: GateInputs & GateOutputs, news: GateInputs): Promise<GateInputs & GateOutputs> {
  // The proof was another machine's: a server that is gone, and this is the one after it.
  if (olds.target.ssh.address !== news.target.ssh.address) return { ...news, ...(await passGate(news, {})) };
  if (!olds.syncedAt) return { ...news, ...(await passGate(news, olds)) };
  const { state, currentHeight, targetHeight, startHeight, startedAt, syncedAt } = olds;
  const { durationSeconds, rate, proved = [], unproved = [] } = olds;
  const heights = { state, currentHeight, targetHeight, startHeight };
  return { ...news, ...heights, startedAt, syncedAt, durationSeconds, rate, proved, unproved } as GateInputs &
    GateOutputs;
}

const provider: pulumi.dynamic.ResourceProvider = {
  create: async (inputs) => ({ id: gateId, outs: { ...inputs, ...(await passGate(inputs, {})) } }),
  update: async (_id, olds, news) => ({ outs: await updateGate(olds, news) }),
};

/** What the gate is made of; durations in milliseconds. */
export interface SyncGateArgs extends Omit<GateInputs, "target" | "factsScript" | "addressScript"> {
  /** How the node is reached. Holds the login: secret. */
  readonly target: pulumi.Input<NodeTarget>;
  /** As in GateInputs. Holds the sudo password: secret. */
  readonly factsScript: pulumi.Input<string>;
  /** Likewise. */
  readonly addressScript?: pulumi.Input<string>;
}

/**
 * Blocks until the node is provably synced (docs/specification.md, 1.1, step 11, and 4.1), and records the proof.
 *
 * create and update wait; update returns at once where sync was recorded. delete does nothing. A deadline ends it in
 * an error; the next `up` goes on with the same start.
 */
export class SyncGate extends DynamicResource {
  declare public readonly state: pulumi.Output<number>;
  declare public readonly currentHeight: pulumi.Output<number>;
  declare public readonly targetHeight: pulumi.Output<number>;
  declare public readonly startedAt: pulumi.Output<string>;
  declare public readonly syncedAt: pulumi.Output<string>;
  declare public readonly durationSeconds: pulumi.Output<number>;
  declare public readonly rate: pulumi.Output<number>;
  /** What the proof rests on, and what could not be proved, in the operator's words. */
  declare public readonly proved: pulumi.Output<string[]>;
  declare public readonly unproved: pulumi.Output<string[]>;

  constructor(name: string, args: SyncGateArgs, options: pulumi.CustomResourceOptions) {
    const outputs = {
      ...{ state: undefined, currentHeight: undefined, targetHeight: undefined, startHeight: undefined },
      ...{ startedAt: undefined, syncedAt: undefined, durationSeconds: undefined, rate: undefined },
      ...{ proved: undefined, unproved: undefined },
    };
    super(
      "SyncGate",
      provider,
      name,
      {
        ...args,
        target: pulumi.secret(args.target),
        factsScript: pulumi.secret(args.factsScript),
        ...(args.addressScript === undefined ? {} : { addressScript: pulumi.secret(args.addressScript) }),
        ...(args.notify === undefined ? {} : { notify: pulumi.secret(args.notify) }),
        ...outputs,
      },
      options,
    );
  }
}
