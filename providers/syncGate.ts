import * as pulumi from "@pulumi/pulumi";
import { spoken } from "./gate/progress";
import { type GaveUp, type SyncRecord, waitForSync } from "./gate/waitForSync";
import { createNodeClient, type NodeTarget } from "./rpc/node";

/** Plain inputs of the gate, as its provider gets them. */
interface GateInputs {
  readonly target: NodeTarget;
  readonly confirmations: number;
  readonly deadline: number;
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
}

/** The wait of create and update, to the end or to an error that keeps what it saw. */
export async function passGate(inputs: GateInputs, before: Partial<GateOutputs>): Promise<GateOutputs> {
  const parent = process.ppid;
  const startedAt = before.startedAt ? Date.parse(before.startedAt) : Date.now();
  const client = createNodeClient(inputs.target);
  try {
    const record = await waitForSync(
      {
        confirmations: inputs.confirmations,
        deadline: inputs.deadline,
        startedAt,
        startHeight: before.startHeight,
        address: inputs.target.ssh.address,
      },
      {
        client,
        now: () => Date.now(),
        sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
        say: (line) => console.log(line),
        // An engine that was killed leaves its providers behind: without a parent nobody gets the answer.
        isWanted: () => process.ppid === parent,
      },
    );
    const outputs = outputsOf(record);
    console.log(`sync: synced at height ${record.currentHeight} after ${spoken(record.syncedAt - record.startedAt)}`);
    return outputs;
  } catch (error) {
    const { gaveUp } = error as Partial<GaveUp>;
    if (!gaveUp) throw error;
    // A key without a value can't be sent to the engine.
    const height = gaveUp.startHeight === undefined ? {} : { startHeight: gaveUp.startHeight };
    const kept: GateOutputs = { startedAt: new Date(startedAt).toISOString(), ...height };
    // The engine keeps a resource whose error carries these: the next up goes on with its history.
    throw Object.assign(error as Error, {
      id: gateId,
      properties: { ...inputs, ...kept },
      reasons: [(error as Error).message],
    });
  } finally {
    client.close();
  }
}

const gateId = "sync-gate";

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
  };
}

/** Keeps the recorded proof when nothing but inputs or the program changed: a live producer is never waited for. */
export async function updateGate(olds: GateInputs & GateOutputs, news: GateInputs): Promise<GateInputs & GateOutputs> {
  const { state, currentHeight, targetHeight, startHeight, startedAt, syncedAt, durationSeconds, rate } = olds;
  const kept = { state, currentHeight, targetHeight, startHeight, startedAt, syncedAt, durationSeconds, rate };
  return { ...news, ...(syncedAt ? (kept as GateOutputs) : await passGate(news, olds)) };
}

const provider: pulumi.dynamic.ResourceProvider = {
  create: async (inputs) => ({ id: gateId, outs: { ...inputs, ...(await passGate(inputs, {})) } }),
  update: async (_id, olds, news) => ({ outs: await updateGate(olds, news) }),
};

export interface SyncGateArgs {
  /** How the node is reached. Holds the login: secret. */
  readonly target: pulumi.Input<NodeTarget>;
  readonly confirmations: number;
  /** Milliseconds from the first look. */
  readonly deadline: number;
}

/**
 * Blocks until the node is provably synced (specification, step 11 and 4.1), and records the proof.
 *
 * create and update wait; update returns at once where sync was recorded. delete does nothing. A deadline ends it in
 * an error; the next `up` goes on with the same start.
 */
export class SyncGate extends pulumi.dynamic.Resource {
  declare public readonly state: pulumi.Output<number>;
  declare public readonly currentHeight: pulumi.Output<number>;
  declare public readonly targetHeight: pulumi.Output<number>;
  declare public readonly startedAt: pulumi.Output<string>;
  declare public readonly syncedAt: pulumi.Output<string>;
  declare public readonly durationSeconds: pulumi.Output<number>;
  declare public readonly rate: pulumi.Output<number>;

  constructor(name: string, args: SyncGateArgs, options: pulumi.CustomResourceOptions) {
    const outputs = {
      ...{ state: undefined, currentHeight: undefined, targetHeight: undefined, startHeight: undefined },
      ...{ startedAt: undefined, syncedAt: undefined, durationSeconds: undefined, rate: undefined },
    };
    super(
      provider,
      name,
      { ...args, target: pulumi.secret(args.target), ...outputs },
      options,
      "pillar-host",
      "SyncGate",
    );
  }
}
