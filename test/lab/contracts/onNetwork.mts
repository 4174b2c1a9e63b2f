import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { openReferenceChain } from "../../../core/chain/chain";
import type { Network } from "../../../core/chain/elections";
import type { NodeTarget } from "../../../core/chain/node";
import { readSources } from "../../../core/registration/pillarReadings";
import { judgeRegistration } from "../../../core/registration/registrationLookup";
import { checkChain } from "../../../core/retirement/chainRules";
import { readChain } from "../../../core/retirement/readChain";
import { readRewards } from "../../../core/retirement/readRewards";
import type { GoodReading, RetirementFacts } from "../../../core/retirement/retirementFacts";
import { gateSettings } from "../../../lab/chainCopies/gateSettings";
import { passGate } from "../../../providers/syncGate";

/** Runs without an engine, and prints nothing. */
const alone = { signal: new AbortController().signal, tell: () => undefined };

/** Tasks on the network, read from stdin; the answer is JSON on stdout. Runs at the operator's end. */
export type Task =
  | { readonly do: "gate"; readonly node: string; readonly references: readonly string[] }
  | {
      readonly do: "cutover";
      readonly node: string;
      readonly references: readonly string[];
      readonly pillar: string;
      readonly ours: string;
      readonly network: Network;
    }
  | {
      readonly do: "retirement";
      readonly references: readonly string[];
      readonly pillar: string;
      readonly own: string;
      readonly successor: string;
      readonly network: Network;
      readonly epoch: number;
    };

const targetOf = (url: string): NodeTarget => {
  const { hostname, port } = new URL(url);
  return { ssh: { address: hostname } as never, via: "direct", address: hostname, port: Number(port) };
};

async function retirement(task: Extract<Task, { do: "retirement" }>): Promise<unknown> {
  const { pillar, own, successor, network, epoch } = task;
  const clients = task.references.map(openReferenceChain);
  const question = { pillar, oldProducer: own, newProducer: successor, network, epoch };
  const readings = await Promise.all(clients.map((client) => readChain(client, question, Date.now())));
  const good = readings.filter((reading): reading is GoodReading => !("fault" in reading));
  const facts = { pillar, host: { facts: { producer: own } }, readings, network } as unknown as RetirementFacts;
  const withdrawAddress = good[0]?.pillar?.withdrawAddress ?? "";
  const rewards = await Promise.all(
    clients.map((client) => readRewards(client, { ...question, withdrawAddress }, Date.now())),
  );
  for (const client of clients) client.close();
  return {
    good: good.length,
    unmet: [checkChain(facts, good)].flat().flatMap((each) => (typeof each === "string" ? [] : [each.what])),
    last: good.map(({ last }) => last),
    rewards,
  };
}

async function run(task: Task): Promise<unknown> {
  if (task.do === "retirement") return retirement(task);
  const { references, node } = task;
  if (task.do === "gate") {
    const inputs = { ...gateSettings(), target: targetOf(node), references, title: "network", factsScript: "" };
    return passGate(inputs, {}, alone);
  }
  const { pillar, ours, network } = task;
  const own = openReferenceChain(node);
  for (;;) {
    const readings = await readSources(own, references, pillar, new URL(node).hostname);
    const synced = { synced: true, known: true, why: "synced" };
    const registration = await judgeRegistration({ ours, readings, memory: {}, node: synced, network, now: Date.now });
    if (registration.kind === "producing") {
      const { at, height } = registration.switched;
      return { switchedAt: new Date(at).toISOString(), height };
    }
    await sleep(1000);
  }
}

// The gates' output is for the test's own log.
console.log = (...words) => console.error(...words);
process.stdout.write(JSON.stringify(await run(JSON.parse(await text(process.stdin)))));
