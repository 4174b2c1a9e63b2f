import { countNodesOnce } from "../chain/distinctNodes.ts";
import { isAnswered, listLeftOut } from "../chain/reading.ts";
import { findFirstFork, formatHashes } from "../chain/sameChain.ts";
import { commandsFor } from "../util/commands.ts";
import { formatDuration } from "../util/timeText.ts";
import {
  createCondition,
  type GoodReading,
  type Judgement,
  type Judgements,
  listOwnProducers,
  type RetirementFacts,
} from "./retirementFacts.ts";

type Successor = NonNullable<RetirementFacts["successor"]>;

/** Checks that all nodes show one confirmed chain, on which this host is neither registered nor producing. */
export function checkChain(facts: RetirementFacts, good: readonly GoodReading[]): Judgements {
  const { pillar, readings, stack } = facts;
  if (good.length > 0) return [checkSameChain(facts, good), good.flatMap((each) => checkProducer(facts, each))].flat();
  return createCondition("noNode", {
    what: `no node answers about ${pillar}`,
    found: listLeftOut(readings, ""),
    needed: `set pillar-host:retirement.successor to a synced host, or pillar-host:retirement.references to an independent node's RPC, then ${commandsFor(stack).up}`,
  });
}

/**
 * Checks that the nodes name one registered address, and that they follow one chain, the Pillar's: on a fork, producers
 * and rewards prove nothing.
 */
function checkSameChain({ stack, readings, isChainKnown }: RetirementFacts, good: readonly GoodReading[]): Judgements {
  const { up } = commandsFor(stack);
  const judged: Judgement[] = [];
  const strangers = readings.filter((reading) => !isAnswered(reading) && reading.fault.kind === "stranger");
  if (strangers.length > 0)
    judged.push({
      kind: "strangeChain",
      what: "a node lacks the momentum that was recorded when this host was synced: the node is on another chain, or lies",
      found: strangers.map(({ client }) => client.name),
      needed: `resync that node, or take it out of pillar-host:retirement.references and pillar-host:sync.references, then ${up}`,
    });
  const fork = findFirstFork(good);
  if (fork) {
    const { height, one, other } = fork;
    judged.push({
      kind: "fork",
      what: "the nodes that were asked are on different chains",
      found: [one, other].map((each) => formatHashes([each], height)),
      needed: `wait a minute, as a fork at the tip ends soon; resync a node that stays on a fork, or take it out of pillar-host:retirement.references and pillar-host:sync.references, then ${up}`,
    });
  }
  const [only, second] = countNodesOnce(good, () => true).counted;
  if (only && !second && !isChainKnown)
    judged.push({
      kind: "oneNode",
      what: "nothing confirms the chain: only one host's node reports it",
      found: [`an answer of ${only.client.name} alone, and no momentum recorded before`],
      needed: `set pillar-host:retirement.references to an independent node's RPC, then ${up}`,
    });
  if (new Set(good.map(({ pillar }) => pillar?.producerAddress)).size > 1)
    judged.push({
      kind: "contradiction",
      what: "the nodes that were asked contradict each other about the registered producer address",
      found: good.map(({ client, pillar }) => `${client.name} says ${pillar?.producerAddress ?? "no address"}`),
      needed: `after an update in the wallet wait some seconds; else take the node that is wrong out of pillar-host:retirement.references and pillar-host:sync.references, then ${up}`,
    });
  return judged;
}

function checkProducer(facts: RetirementFacts, reading: GoodReading): Judgements {
  const { pillar, last, alternate, patience } = reading;
  const producers = listOwnProducers(facts);
  const saidBy = [reading.client.name];
  if (pillar === null)
    return createCondition("unknownPillar", {
      what: `there is no Pillar ${facts.pillar}`,
      saidBy,
      needed: "correct pillar-host:pillar.name to the registered name; if it is right, ask a node of the right chain",
    });
  if (producers.includes(pillar.producerAddress))
    return createCondition("registered", {
      what: "this host's producer address is the registered one",
      saidBy,
      found: [pillar.producerAddress],
      needed:
        "set the successor's address in the wallet (Update Pillar), then wait until the successor produces a momentum",
    });
  if (alternate)
    return createCondition("inTurns", {
      what: "this host and its successor produce in turns: is this the host of another Pillar?",
      saidBy,
      found: [`the newest momentum of this host: ${last.own?.height}`],
      needed: `set pillar-host:host to the host of ${facts.pillar}; or, after a switch there and back, wait up to ${formatDuration(patience)}`,
    });
  // A later momentum of the registered address is enough, even if that address is not the successor's.
  if (last.own === undefined || last.own.height <= (last.registered?.height ?? 0)) return [];
  return createCondition("produces", {
    what: "momentums still carry this host's address",
    saidBy,
    isCuredByTime: true,
    found: [
      `the newest so far is momentum ${last.own.height}; more may follow, because elections are fixed two ticks ahead`,
    ],
    needed:
      "wait for a later momentum of the successor, which is elected 5 to 10 minutes after the wallet update and produces in its next slot",
  });
}

export function checkSuccessor(facts: RetirementFacts, good: readonly GoodReading[]): Judgements {
  const { successor, stack } = facts;
  const run = commandsFor(stack);
  if (successor === undefined)
    return createCondition("noSuccessor", {
      what: "no successor of this host is configured",
      needed: `name the stack of the host that produces today, SUCCESSOR: ${run.retire("SUCCESSOR")} (a host without a stack here: set pillar-host:retirement.successor to its address and hostKey, then ${run.up})`,
    });
  const { address, look, node } = successor;
  if ("silent" in look)
    return createCondition("successorSilent", {
      what: `the successor, ${address}, does not answer`,
      found: [look.silent],
      needed:
        "start the successor, or correct pillar-host:retirement.successor; the successor must accept the login, be synced and produce",
    });
  const judged: Judgement[] = [];
  const { node: unit, marks } = look.facts;
  if (unit.masked)
    judged.push({
      kind: "successorOff",
      what: `the successor, ${address}, is shut down for its own retirement`,
      found: marks.retired ? [`since ${marks.retired}`] : [],
      needed: `set pillar-host:retirement.successor to the host that produces today, then ${run.up}`,
    });
  else if (!node.synced)
    judged.push({
      kind: "successorNotSynced",
      what: `the successor's node, ${address}, is not synced now`,
      found: [node.why],
      needed: `wait until the successor is synced (a node that was more than five minutes behind produces from the next tick on); watch it with: ${commandsFor("SUCCESSOR").status()} (SUCCESSOR is its stack)`,
    });
  const { producer } = look.facts;
  if (producer === undefined)
    judged.push({
      kind: "successorWithoutAddress",
      what: `the successor, ${address}, has no producer address`,
      found: ["none in its data directory's config.json"],
      needed: `set pillar-host:retirement.successor.dataDir to the data directory of the successor's node, then ${run.up}`,
    });
  else if (producer === listOwnProducers(facts)[0])
    judged.push({
      kind: "sameKey",
      what: "this host and its successor hold the same producer key",
      needed: "give each host a producer key of its own: two nodes with one key must never run",
    });
  else judged.push(...good.flatMap((reading) => checkProduction(facts, successor, producer, reading)));
  return judged;
}

/** Checks in one node's answer that the successor is registered and fills its slots. */
function checkProduction(
  { pillar }: RetirementFacts,
  { address }: Successor,
  producer: string,
  { client, newest, pillar: found, last, patience, paid }: GoodReading,
): Judgements {
  const saidBy = [client.name];
  if (found === null) return [];
  if (found.producerAddress !== producer)
    return createCondition("successorNotRegistered", {
      what: `the successor's producer address is not the registered one of ${pillar}`,
      saidBy,
      found: [`registered: ${found.producerAddress}`],
      needed: `update the wallet to the successor's address, which ${commandsFor("SUCCESSOR").next} shows (SUCCESSOR is its stack), or correct pillar-host:retirement.successor`,
    });
  const age = last.successor === undefined ? undefined : newest.timestamp - last.successor.timestamp;
  const limit = formatDuration(patience);
  if (age === undefined || age > patience)
    return createCondition("successorProducesNothing", {
      what: "the successor does not produce",
      saidBy,
      found: [
        age === undefined
          ? `no momentum of its address in the last ${limit}`
          : `its last momentum was ${formatDuration(age)} ago`,
        `a healthy Pillar of its rank is without a momentum for ${limit} in fewer than 1 of 10,000 cases`,
      ],
      needed: `wait for a momentum of the successor within ${limit}; its slots begin 5 to 10 minutes after the wallet update, and a node that was more than five minutes behind produces from the next tick on`,
    });
  // Ignore a poor paid epoch if the running one is good: the node was repaired.
  if (paid && isPoor(paid) && (found.figures.expected === 0 || isPoor(found.figures)))
    return createCondition("successorMissesSlots", {
      what: "the successor misses most of its slots",
      saidBy,
      found: [
        `epoch ${paid.epoch}, paid: ${paid.produced} of ${paid.expected}`,
        `this epoch so far, by a count up to five minutes old: ${found.figures.produced} of ${found.figures.expected} slots`,
      ],
      needed:
        "check the successor's clock, peers and log; it must fill at least half of its slots in the running epoch",
    });
  const slots = paid ? `, and filled ${paid.produced} of ${paid.expected} slots in epoch ${paid.epoch}` : "";
  return `${address} is registered and produced momentum ${last.successor?.height}${slots}, says ${client.name}`;
}

const isPoor = ({ expected, produced }: Readonly<Record<"expected" | "produced", number>>) => produced * 2 < expected;
