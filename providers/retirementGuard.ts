import type * as pulumi from "@pulumi/pulumi";
import { chainOfNode } from "../core/chain/chain";
import { freshMomentum } from "../core/chain/freshMomentum";
import { appendEvent, type LogEvent, readEvents, sinceReleased } from "../core/eventLog/eventLog";
import type { Recorded } from "../core/retirement/chainLook";
import { collectedVariable } from "../core/retirement/facts";
import type { GuardMemory, RetirementInputs } from "../core/retirement/inputs";
import { overrideVariable } from "../core/retirement/messages";
import { release } from "../core/retirement/release";
import { systemClock } from "../core/util/clock";
import { resolvePath } from "../core/util/resolvePath";
import { DynamicResource, secured } from "./runtime/dynamicResource";
import { watchEngine } from "./runtime/engine";

/** Plain inputs, as the provider gets them. */
interface GuardInputs extends Omit<RetirementInputs, "recorded"> {
  /** It stands at the end of a stack's work: its node is synced, and a momentum of the chain is recorded. */
  readonly isLast: boolean;
}

interface GuardOutputs extends GuardMemory {
  readonly recorded?: Recorded;
}

async function begin(inputs: GuardInputs): Promise<GuardInputs & GuardOutputs> {
  const { lifecycle, isLast, stack, pillar, host, server } = inputs;
  const createdAt = new Date().toISOString();
  const memory = {
    createdAt,
    isReached: lifecycle !== "retiring" || wasReached(readEvents(resolvePath(inputs.backup.directory), pillar), stack),
    isOwnWork: lifecycle === "active",
  };
  const entry = { at: createdAt, stack, pillar };
  const provider = server?.provider ?? "existing";
  if (!isLast) {
    const { isOwnWork } = memory;
    const { address, hostKey } = host.ssh;
    const details = { address, hostKey, provider, isOwnWork, ...(server ? { serverId: server.id } : {}) };
    if (lifecycle !== "retiring") note(inputs, { ...entry, event: "host", details });
    return { ...inputs, ...memory };
  }
  const recorded = await recordMomentum(inputs);
  return { ...inputs, ...memory, ...(recorded ? { recorded } : {}) };
}

/** Whether a stack whose state tells nothing of it was on its host since it let the last one go (pure). */
function wasReached(journey: readonly LogEvent[], stack: string): boolean {
  const events = sinceReleased(journey, stack).map(({ event }) => event);
  return events.some((event) => ["host", "synced", "producing", "shutDown"].includes(event));
}

/** The newest momentum may be of a fork yet; milliseconds. */
const settled = 10 * 60_000;

/** Of the host's own node, and some minutes old; nothing where it does not answer now, or is behind. */
async function recordMomentum(inputs: GuardInputs): Promise<Recorded | undefined> {
  const { node, lifecycle, isLast, stack, pillar } = inputs;
  if (!isLast || lifecycle === "retiring") return undefined;
  const client = chainOfNode("this host's node", node);
  try {
    const { momentum, clock } = await client.newest();
    if (clock - momentum.timestamp > freshMomentum) return undefined;
    const { height, hash } = (await client.before(momentum.timestamp - settled)) ?? momentum;
    const recorded = { height, hash };
    note(inputs, { at: new Date().toISOString(), stack, pillar, event: "recorded", details: recorded });
    return recorded;
  } catch {
    return undefined;
  } finally {
    client.close();
  }
}

function note({ backup }: GuardInputs, entry: Parameters<typeof appendEvent>[1]): void {
  try {
    appendEvent(resolvePath(backup.directory), entry);
  } catch (error) {
    console.log(`the record of the migration could not be written: ${(error as Error).message}`);
  }
}

/** What a run leaves out stays known: a retiring stack has no node that would tell its address. */
export function changed(olds: GuardInputs & GuardOutputs, news: GuardInputs): GuardInputs & GuardOutputs {
  const { createdAt, isReached, isOwnWork, recorded } = olds;
  if (olds.pillar !== news.pillar)
    throw new Error(
      `pillar-host:pillar.name: this stack's host is that of ${olds.pillar}; nothing was changed\n` +
        `  found: ${news.pillar}\n  needed: ${olds.pillar}, or a stack of its own for ${news.pillar} (pulumi stack init)`,
    );
  const knownProducer = news.knownProducer ?? olds.knownProducer;
  return {
    ...news,
    ...(knownProducer === undefined ? {} : { knownProducer }),
    ...{ createdAt, isReached: isReached || news.lifecycle !== "retiring", isOwnWork },
    ...(recorded === undefined ? {} : { recorded }),
  };
}

/** Looks again with live calls, and throws where anything would be lost. */
async function end(olds: GuardInputs & GuardOutputs): Promise<void> {
  const engine = watchEngine();
  try {
    await release(olds, olds, {
      ...systemClock,
      say: (line) => console.log(line),
      saysCollected: process.env[collectedVariable] === olds.pillar,
      override: process.env[overrideVariable],
    });
  } finally {
    if (engine.isThere()) engine.stop();
  }
}

const provider: pulumi.dynamic.ResourceProvider = {
  create: async (inputs) => ({ id: inputs.isLast ? "guard" : "host-guard", outs: await begin(inputs) }),
  update: async (_id, olds, news) => {
    const outs = changed(olds, news);
    const recorded = outs.recorded ?? (await recordMomentum(news));
    return { outs: { ...outs, ...(recorded ? { recorded } : {}) } };
  },
  delete: async (_id, olds) => end(olds),
};

export interface RetirementGuardArgs
  extends Omit<GuardInputs, "host" | "node" | "successor" | "server" | "knownProducer" | "isOwnServer"> {
  readonly isOwnServer: pulumi.Input<boolean>;
  /** These hold logins: secret. */
  readonly host: pulumi.Input<GuardInputs["host"]>;
  readonly node: pulumi.Input<GuardInputs["node"]>;
  readonly successor?: GuardInputs["successor"];
  readonly server?: pulumi.Input<GuardInputs["server"]>;
  /** Of the server, where this stack has one: another one is another host, and its guard another one. */
  readonly serverId?: pulumi.Input<string>;
  readonly knownProducer?: pulumi.Input<string>;
}

/**
 * Stands between a host and its deletion (docs/architecture.md, Two guards, one code). create records the beginning;
 * update keeps what is known and refuses another Pillar's name; delete asks host, successor and chain, and refuses
 * where anything would be lost, else it takes the last backup and shuts the host down.
 */
export class RetirementGuard extends DynamicResource {
  declare public readonly createdAt: pulumi.Output<string>;
  declare public readonly isReached: pulumi.Output<boolean>;
  declare public readonly isOwnWork: pulumi.Output<boolean>;

  constructor(name: string, args: RetirementGuardArgs, options: pulumi.CustomResourceOptions) {
    const secrets = ["host", "node", "successor", "server"] as const;
    super(
      "RetirementGuard",
      provider,
      name,
      {
        ...args,
        ...secured(args, secrets),
        ...{ createdAt: undefined, isReached: undefined, isOwnWork: undefined, recorded: undefined },
      },
      { ...options, replaceOnChanges: ["serverId"], additionalSecretOutputs: [...secrets] },
    );
  }
}
