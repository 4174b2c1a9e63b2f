import type * as pulumi from "@pulumi/pulumi";
import { appendEvent, readEvents } from "../core/eventLog/eventLog";
import { hasSignerTraces } from "../core/retirement/facts";
import { lookAtHost } from "../core/retirement/host";
import { type GuardMemory, isReached, type RetirementInputs } from "../core/retirement/inputs";
import { refusalText } from "../core/retirement/messages";
import { pastEvents } from "../core/retirement/pastEvents";
import { stopNode } from "../core/retirement/shutDown";
import { surveyRetirement } from "../core/retirement/survey";
import { openRoot } from "../core/ssh/root";
import { systemClock } from "../core/util/clock";
import { resolvePath } from "../core/util/resolvePath";
import { DynamicResource, secured } from "./runtime/dynamicResource";

/** Plain inputs, as the provider gets them. */
interface ShutdownInputs extends RetirementInputs {
  /** Of the guard that stands before it. */
  readonly memory: GuardMemory;
  /** Another one in each run while the node could not be stopped. */
  readonly run?: string | undefined;
}

const patience = 20_000;

/** Asks once more, then stops the node, so that it stays off; says so where the host does not answer. */
async function shutDown(inputs: ShutdownInputs): Promise<ShutdownInputs & { isOff: boolean }> {
  const { host, places, library, stack, pillar, memory } = inputs;
  const { address } = host.ssh;
  const directory = resolvePath(inputs.backup.directory);
  const root = openRoot(host, library);
  try {
    const deps = {
      ...systemClock,
      say: (line: string) => console.log(`retirement: ${line}`),
      saysCollected: false,
    };
    const look = await lookAtHost(root, places, isReached(inputs, memory) ? patience : 0, deps);
    const recorded = inputs.recorded ?? pastEvents(readEvents(directory, pillar), stack).recorded;
    const { facts, verdict } = await surveyRetirement("retire", { ...inputs, recorded }, memory, look, directory, deps);
    if (verdict.unmet.length > 0) throw new Error(refusalText(facts, verdict));
    for (const line of verdict.evidence) deps.say(line);
    if ("silent" in look) {
      deps.say(`${address} does not answer (${look.silent}): its node could not be stopped`);
      return { ...inputs, isOff: false };
    }
    const entry = { stack, pillar };
    const now = () => new Date().toISOString();
    appendEvent(directory, { ...entry, at: now(), event: "shuttingDown", details: { address } });
    await stopNode(root, places, deps.say);
    deps.say(`the node of ${address} is stopped, disabled and masked: it stays off after a reboot`);
    const details = { address, evidence: verdict.evidence, hasSigner: hasSignerTraces(look.facts) };
    appendEvent(directory, { ...entry, at: now(), event: "shutDown", details });
    return { ...inputs, isOff: true };
  } finally {
    root.close();
  }
}

/** Nothing but a run that finished, and showed that it is off, gives no token: after any other it is done again. */
function isDone(olds: ShutdownInputs & { isOff?: boolean }, news: ShutdownInputs): boolean {
  return olds.isOff === true && news.run === undefined && olds.host.ssh.address === news.host.ssh.address;
}

const provider: pulumi.dynamic.ResourceProvider = {
  // The end of the runs that have to look is no reason for one more.
  diff: async (_id, olds, news) => ({
    changes: Object.keys(news).some((key) => JSON.stringify(olds[key]) !== JSON.stringify(news[key])),
  }),
  create: async (inputs) => ({ id: "node-shutdown", outs: await shutDown(inputs) }),
  update: async (_id, olds, news) => ({ outs: isDone(olds, news) ? { ...news, isOff: true } : await shutDown(news) }),
};

/** The inputs that hold logins. */
const secrets = ["host", "node", "successor"] as const;

export interface NodeShutdownArgs
  extends Omit<ShutdownInputs, (typeof secrets)[number] | "memory" | "run" | "isOwnServer"> {
  readonly isOwnServer: pulumi.Input<boolean>;
  readonly host: pulumi.Input<ShutdownInputs["host"]>;
  readonly node: pulumi.Input<ShutdownInputs["node"]>;
  readonly successor?: ShutdownInputs["successor"];
  readonly memory: pulumi.Input<GuardMemory>;
  readonly run: string | undefined;
}

/**
 * Stops and disables the node of a host that is retired (docs/specification.md, 1.1, step 15), once chain and successor
 * say that nobody needs it. create and update do it, again where the host did not answer; delete does nothing.
 */
export class NodeShutdown extends DynamicResource {
  declare public readonly isOff: pulumi.Output<boolean>;

  constructor(name: string, args: NodeShutdownArgs, options: pulumi.CustomResourceOptions) {
    super(
      "NodeShutdown",
      provider,
      name,
      { ...args, ...secured(args, secrets), isOff: undefined },
      { ...options, additionalSecretOutputs: [...secrets] },
    );
  }
}
