import { formatStanding, type Network } from "../chain/elections";
import { isAnswered } from "../chain/reading";
import { findFirstFork, hashAt } from "../chain/sameChain";
import { type Commands, commandsFor } from "../util/commands";
import { formatDuration } from "../util/timeText";
import type { HostFacts } from "./readHost";
import {
  addressMark,
  combineVerdicts,
  createMetVerdict,
  failWith,
  findOwnProducer,
  type GoodReading,
  listOwnProducers,
  type RetirementFacts,
  type RetirementVerdict,
  type Unmet,
} from "./retirementFacts";

const fail = failWith("momentums");

type Successor = NonNullable<RetirementFacts["successor"]>;

/** Checks that all nodes show one confirmed chain, on which this host is neither registered nor producing. */
export function checkChain(facts: RetirementFacts, good: readonly GoodReading[]): RetirementVerdict {
  const { pillar, readings } = facts;
  const run = commandsFor(facts.stack);
  if (good.length === 0)
    return fail({
      what: `no node answers about ${pillar}`,
      found: readings.flatMap((reading) =>
        isAnswered(reading) ? [] : [`${reading.client.name}: ${reading.fault.why}`],
      ),
      needed: `set pillar-host:retirement.successor to a synced host, or pillar-host:retirement.references to an independent node's RPC, then ${run.up}`,
    });
  const producers = listOwnProducers(facts);
  return combineVerdicts([
    checkRecordedMomentum(facts),
    checkFork(facts, good),
    checkWitness(facts, good),
    ...good.map((reading) => checkProducer(facts.pillar, producers, reading)),
  ]);
}

function checkProducer(
  pillarName: string,
  producers: readonly string[],
  { client: { name: source }, pillar, last, alternate, patience }: GoodReading,
): RetirementVerdict {
  if (pillar === null)
    return fail({
      what: `there is no Pillar ${pillarName}`,
      saidBy: [source],
      needed: "correct pillar-host:pillar.name to the registered name; if it is right, ask a node of the right chain",
    });
  if (producers.includes(pillar.producerAddress))
    return fail({
      what: "this host's producer address is the registered one",
      saidBy: [source],
      found: [{ text: addressMark, addresses: [pillar.producerAddress] }],
      needed:
        "set the successor's address in the wallet (Update Pillar), then wait until the successor produces a momentum",
    });
  if (alternate)
    return fail({
      what: "this host and its successor produce in turns: is this the host of another Pillar?",
      saidBy: [source],
      found: [
        { text: `this host: ${addressMark}, newest momentum ${last.own?.height}`, addresses: producers.slice(0, 1) },
      ],
      needed: `set pillar-host:host to the host of ${pillarName}; or, after a switch there and back, wait up to ${formatDuration(patience)}`,
    });
  // A later momentum of the registered address is enough, even if that address is not the successor's.
  if (last.own && last.own.height > (last.registered?.height ?? 0))
    return fail({
      what: "momentums still carry this host's address",
      saidBy: [source],
      isCuredByTime: true,
      found: [
        `the newest so far is momentum ${last.own.height}; more may follow, because elections are fixed two ticks ahead`,
      ],
      needed:
        "wait for a later momentum of the successor, which is elected 5 to 10 minutes after the wallet update and produces in its next slot",
    });
  return createMetVerdict();
}

/** Checks that every node has the recorded momentum. A node without it is on another chain or lies. */
function checkRecordedMomentum({ stack, readings }: RetirementFacts): RetirementVerdict {
  const run = commandsFor(stack);
  const strangers = readings.filter((reading) => !isAnswered(reading) && reading.fault.kind === "stranger");
  if (strangers.length === 0) return createMetVerdict();
  return fail({
    what: "a node lacks the momentum that was recorded when this host was synced: the node is on another chain, or lies",
    found: strangers.map(({ client }) => client.name),
    needed: `resync that node, or take it out of pillar-host:retirement.references and pillar-host:sync.references, then ${run.up}`,
  });
}

/** Checks that all nodes follow one chain: producers and rewards on a fork prove nothing. */
function checkFork({ stack }: RetirementFacts, good: readonly GoodReading[]): RetirementVerdict {
  const fork = findFirstFork(good);
  if (fork === undefined) return createMetVerdict();
  const { height, one, other } = fork;
  return fail({
    what: "the nodes that were asked are on different chains",
    found: [one, other].map(
      (each) => `momentum ${height} is ${hashAt(each, height)?.slice(0, 12) ?? "not shown"} at ${each.client.name}`,
    ),
    needed: `wait a minute, as a fork at the tip ends soon; resync a node that stays on a fork, or take it out of pillar-host:retirement.references and pillar-host:sync.references, then ${commandsFor(stack).up}`,
  });
}

/** Refuses a single node that is no reference, and whose chain no recorded momentum confirms. */
function checkWitness({ stack, isChainKnown }: RetirementFacts, good: readonly GoodReading[]): RetirementVerdict {
  const [only] = good;
  if (only === undefined || good.length > 1 || isChainKnown) return createMetVerdict();
  return fail({
    what: "nothing confirms the chain: only one host's node reports it",
    found: [`an answer of ${only.client.name} alone, and no momentum recorded before`],
    needed: `set pillar-host:retirement.references to an independent node's RPC, then ${commandsFor(stack).up}`,
  });
}

export function checkPillarOfHost({ host, address, pillar }: RetirementFacts): RetirementVerdict {
  const identity = "facts" in host ? host.facts.marks.stack : undefined;
  if (identity === undefined || identity.endsWith(` ${pillar}`)) return createMetVerdict();
  return fail({
    what: `this host, ${address}, belongs to another Pillar`,
    found: [`${identity}, in /var/lib/pillar-host/stack there`],
    needed: `set pillar-host:host to the host of ${pillar}`,
  });
}

/** Checks that the successor is registered, synced and producing. */
export function checkSuccessor(facts: RetirementFacts, good: readonly GoodReading[]): RetirementVerdict {
  const { successor: next, stack } = facts;
  const run = commandsFor(stack);
  if (next === undefined)
    return fail({
      what: "no successor of this host is configured",
      needed: `name the stack of the host that produces today, SUCCESSOR: ${run.retire("SUCCESSOR")} (a host without a stack here: set pillar-host:retirement.successor to its address and hostKey, then ${run.up})`,
    });
  const { address, look } = next;
  if ("silent" in look)
    return fail({
      what: `the successor, ${address}, does not answer`,
      found: [look.silent],
      needed:
        "start the successor, or correct pillar-host:retirement.successor; the successor must accept the login, be synced and produce",
    });
  const unmet = checkSuccessorNode(next, look.facts, run);
  const producer = look.facts.producer;
  if (producer === undefined)
    return fail(...unmet, {
      what: `the successor, ${address}, has no producer address`,
      found: ["none in its data directory's config.json"],
      needed: `set pillar-host:retirement.successor.dataDir to the data directory of the successor's node, then ${run.up}`,
    });
  if (producer === findOwnProducer(facts))
    return fail(...unmet, {
      what: "this host and its successor hold the same producer key",
      found: [{ text: addressMark, addresses: [producer] }],
      needed: "give each host a producer key of its own: two nodes with one key must never run",
    });
  return combineVerdicts([fail(...unmet), ...good.map((reading) => checkProduction(facts, next, producer, reading))]);
}

function checkSuccessorNode({ address, node }: Successor, host: HostFacts, { up }: Commands): Omit<Unmet, "loss">[] {
  if (host.node.masked)
    return [
      {
        what: `the successor, ${address}, is shut down for its own retirement`,
        found: host.marks.retired ? [`since ${host.marks.retired}`] : [],
        needed: `set pillar-host:retirement.successor to the host that produces today, then ${up}`,
      },
    ];
  if (node.synced) return [];
  return [
    {
      what: `the successor's node, ${address}, is not synced now`,
      found: [node.why],
      needed: `wait until the successor is synced (a node that was more than five minutes behind produces from the next tick on); watch it with: ${commandsFor("SUCCESSOR").status()} (SUCCESSOR is its stack)`,
    },
  ];
}

/** Checks in one node's answer that the successor is registered and fills its slots. */
function checkProduction(
  { pillar, network }: RetirementFacts,
  { address, node }: Successor,
  producer: string,
  reading: GoodReading,
): RetirementVerdict {
  const { client, newest, pillar: found, last, patience, paid } = reading;
  const source = client.name;
  if (found === null) return createMetVerdict();
  if (found.producerAddress !== producer)
    return fail({
      what: `the successor's producer address is not the registered one of ${pillar}`,
      saidBy: [source],
      // Print the successor's address only once its node is synced: registering the address earlier costs rewards.
      found: [
        node.synced
          ? {
              text: `registered: ${addressMark}; the successor's: ${addressMark}`,
              addresses: [found.producerAddress, producer],
            }
          : { text: `registered: ${addressMark}`, addresses: [found.producerAddress] },
      ],
      needed: "update the wallet to the successor's address, or correct pillar-host:retirement.successor",
    });
  const age = last.successor === undefined ? undefined : newest.timestamp - last.successor.timestamp;
  if (age === undefined || age > patience)
    return fail({
      what: "the successor does not produce",
      saidBy: [source],
      found: [
        age === undefined
          ? { text: `no momentum of ${addressMark} in the last ${formatDuration(patience)}`, addresses: [producer] }
          : `its last momentum was ${formatDuration(age)} ago`,
        overdueText(reading, network),
      ],
      needed: `wait for a momentum of the successor within ${formatDuration(patience)}; its slots begin 5 to 10 minutes after the wallet update, and a node that was more than five minutes behind produces from the next tick on`,
    });
  // Ignore a poor paid epoch if the running one is good: the node was repaired.
  if (paid && isPoor(paid) && (found.figures.expected === 0 || isPoor(found.figures)))
    return fail({
      what: "the successor misses most of its slots",
      saidBy: [source],
      found: [
        `epoch ${paid.epoch}, paid: ${paid.produced} of ${paid.expected}`,
        `this epoch so far, by a count up to five minutes old: ${found.figures.produced} of ${found.figures.expected} slots`,
      ],
      needed:
        "check the successor's clock, peers and log; it must fill at least half of its slots in the running epoch",
    });
  const slots = paid ? `, and filled ${paid.produced} of ${paid.expected} slots in epoch ${paid.epoch}` : "";
  return createMetVerdict(
    `${address} is registered and produced momentum ${last.successor?.height}${slots}, says ${source}`,
  );
}

/** True if fewer than half of the slots were filled. */
function isPoor({ expected, produced }: { readonly expected: number; readonly produced: number }): boolean {
  return produced * 2 < expected;
}

function overdueText({ standing, patience }: GoodReading, network: Network): string {
  const words = formatStanding(standing, network);
  if (standing === undefined || (standing.place === undefined && standing.pillars > network.tickMomentums))
    return `${words}: so it gets the shortest time limit, that of a Pillar with the best chance of election`;
  return `${words}: a healthy Pillar of this rank is without a momentum for ${formatDuration(patience)} in fewer than 1 of 10,000 cases`;
}
