import { type Network, standingText } from "../chain/elections";
import { faultText, isAnswered } from "../chain/reading";
import { firstFork, hashAt } from "../chain/sameChain";
import { type Commands, commandsFor } from "../util/commands";
import { durationText } from "../util/timeText";
import type { HostFacts } from "./readHost";
import {
  addressMark,
  combine,
  failWith,
  type GoodReading,
  met,
  ownProducer,
  ownProducers,
  type RetirementFacts,
  type RetirementVerdict,
  type Unmet,
} from "./retirementFacts";

const fail = failWith("momentums");

type Successor = NonNullable<RetirementFacts["successor"]>;

/** Checks that all readings are of one confirmed chain, and none shows this host registered or producing. */
export function checkChain(facts: RetirementFacts, good: readonly GoodReading[]): RetirementVerdict {
  const { pillar, readings } = facts;
  const run = commandsFor(facts.stack);
  if (good.length === 0)
    return fail({
      what: `nobody tells what the chain says of ${pillar}`,
      found: readings.flatMap((reading) =>
        isAnswered(reading) ? [] : [`${reading.client.name}: ${faultText(reading.fault)}`],
      ),
      needed: `a synced node to ask: pillar-host:retirement.successor, or pillar-host:retirement.references with an independent node's RPC, then ${run.up}`,
    });
  const producers = ownProducers(facts);
  return combine([
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
      needed: "the Pillar's name as registered (pillar-host:pillar.name), and a node that tells the truth",
    });
  if (producers.includes(pillar.producerAddress))
    return fail({
      what: "this host's producer address is the registered one",
      saidBy: [source],
      found: [{ text: addressMark, addresses: [pillar.producerAddress] }],
      needed: "the successor's address in the wallet (Update Pillar), and a momentum of it",
    });
  if (alternate)
    return fail({
      what: "this host's address and its successor's produce in turns: is this the host of another Pillar?",
      saidBy: [source],
      found: [{ text: `${addressMark}, last in momentum ${last.own?.height}`, addresses: producers.slice(0, 1) }],
      needed: `the host of ${pillarName} (pillar-host:host); after a switch there and back: some time, up to ${durationText(patience)}`,
    });
  // A registered address has taken over, even if it is not the successor's.
  if (last.own && last.own.height > (last.registered?.height ?? 0))
    return fail({
      what: "momentums still carry this host's address",
      saidBy: [source],
      isCuredByTime: true,
      found: [`momentum ${last.own.height}; elections are fixed two ticks ahead`],
      needed:
        "a later momentum of the successor. The successor is elected 5 to 10 minutes after the wallet update, and produces in its next slot",
    });
  return met();
}

/** Checks that every node has the recorded momentum. A node without it is on another chain or lies. */
function checkRecordedMomentum({ stack, readings }: RetirementFacts): RetirementVerdict {
  const run = commandsFor(stack);
  const strangers = readings.filter((reading) => !isAnswered(reading) && reading.fault.kind === "stranger");
  if (strangers.length === 0) return met();
  return fail({
    what: "an RPC does not know the momentum that was recorded when this host was synced: it is of another chain, or lies",
    found: strangers.map(({ client }) => client.name),
    needed: `nodes of this chain alone: put that one right, or take it out of pillar-host:retirement.references and pillar-host:sync.references, then ${run.up}`,
  });
}

/** Checks that all nodes follow one chain: another one has other producers, switches and rewards. */
function checkFork({ stack }: RetirementFacts, good: readonly GoodReading[]): RetirementVerdict {
  const fork = firstFork(good);
  if (fork === undefined) return met();
  const { height, one, other } = fork;
  return fail({
    what: "the nodes that were asked are on different chains",
    found: [one, other].map(
      (each) => `momentum ${height} is ${hashAt(each, height)?.slice(0, 12) ?? "not shown"} at ${each.client.name}`,
    ),
    needed: `nodes of one chain: a fork at the tip is gone in a minute; a node that stays on one is resynced, or taken out of pillar-host:retirement.references and pillar-host:sync.references, then ${commandsFor(stack).up}`,
  });
}

/** Checks the chain of a node that answers alone, by a second node or a recorded momentum. */
function checkWitness({ stack, isChainKnown }: RetirementFacts, good: readonly GoodReading[]): RetirementVerdict {
  const [only] = good;
  if (only === undefined || good.length > 1 || isChainKnown) return met();
  return fail({
    what: "which chain was asked is not confirmed: one host's node alone tells of it",
    found: [`${only.client.name}, and no momentum that was recorded before`],
    needed: `an independent node's RPC (pillar-host:retirement.references), then ${commandsFor(stack).up}`,
  });
}

export function checkPillarOfHost({ host, address, pillar }: RetirementFacts): RetirementVerdict {
  const identity = "facts" in host ? host.facts.marks.stack : undefined;
  if (identity === undefined || identity.endsWith(` ${pillar}`)) return met();
  return fail({
    what: `this host, ${address}, is that of another Pillar`,
    found: [`${identity}, in /var/lib/pillar-host/stack there`],
    needed: `the host of ${pillar} (pillar-host:host)`,
  });
}

/** Checks that the successor is registered, synced and producing. */
export function checkSuccessor(facts: RetirementFacts, good: readonly GoodReading[]): RetirementVerdict {
  const { successor: next, stack } = facts;
  const run = commandsFor(stack);
  if (next === undefined)
    return fail({
      what: "who produces after this host is not configured",
      needed: `the stack of the host that produces today, SUCCESSOR: ${run.retire("SUCCESSOR")} (one that is no stack here: pillar-host:retirement.successor with its address and hostKey, then ${run.up})`,
    });
  const { address, look } = next;
  if ("silent" in look)
    return fail({
      what: `the successor, ${address}, does not answer`,
      found: [look.silent],
      needed: "a successor that accepts the login (pillar-host:retirement.successor), synced and producing",
    });
  const unmet = checkSuccessorNode(next, look.facts, run);
  const producer = look.facts.producer;
  if (producer === undefined)
    return fail(...unmet, {
      what: `the successor, ${address}, has no producer address`,
      found: ["none in its data directory's config.json"],
      needed: `pillar-host:retirement.successor.dataDir where its node's data lies elsewhere, then ${run.up}`,
    });
  if (producer === ownProducer(facts))
    return fail(...unmet, {
      what: "this host and its successor hold the same producer key",
      found: [{ text: addressMark, addresses: [producer] }],
      needed: "two hosts with keys of their own: two nodes with one key must never run",
    });
  return combine([fail(...unmet), ...good.map((reading) => checkProduction(facts, next, producer, reading))]);
}

function checkSuccessorNode({ address, node }: Successor, host: HostFacts, { up }: Commands): Omit<Unmet, "loss">[] {
  if (host.node.masked)
    return [
      {
        what: `the successor, ${address}, is shut down for its own retirement`,
        found: host.marks.retired ? [`since ${host.marks.retired}`] : [],
        needed: `the host that produces today as pillar-host:retirement.successor, then ${up}`,
      },
    ];
  if (node.synced) return [];
  return [
    {
      what: `the successor's node, ${address}, is not synced now`,
      found: [node.why],
      needed: `its sync (one that was behind for more than five minutes produces from the next tick on); see it with: ${commandsFor("SUCCESSOR").status()} (SUCCESSOR is its stack)`,
    },
  ];
}

/** Checks by one reading that the successor is registered and fills its slots. */
function checkProduction(
  { pillar, network }: RetirementFacts,
  { address, node }: Successor,
  producer: string,
  reading: GoodReading,
): RetirementVerdict {
  const { client, newest, pillar: found, last, patience, paid } = reading;
  const source = client.name;
  if (found === null) return met();
  if (found.producerAddress !== producer)
    return fail({
      what: `the successor's producer address is not the registered one of ${pillar}`,
      saidBy: [source],
      // The successor's address appears only once its node is synced: an earlier registration costs rewards.
      found: [
        node.synced
          ? {
              text: `registered: ${addressMark}; the successor's: ${addressMark}`,
              addresses: [found.producerAddress, producer],
            }
          : { text: `registered: ${addressMark}`, addresses: [found.producerAddress] },
      ],
      needed: "the wallet's update to the successor's address, or the right pillar-host:retirement.successor",
    });
  const age = last.successor === undefined ? undefined : newest.timestamp - last.successor.timestamp;
  if (age === undefined || age > patience)
    return fail({
      what: "the successor does not produce",
      saidBy: [source],
      found: [
        age === undefined
          ? { text: `no momentum of ${addressMark} in the last ${durationText(patience)}`, addresses: [producer] }
          : `its last momentum was ${durationText(age)} ago`,
        overdueText(reading, network),
      ],
      needed: `a momentum of it within ${durationText(patience)}; its slots begin 5 to 10 minutes after the wallet's update, and a node that was behind for more than five minutes produces from the next tick on`,
    });
  // A repaired node produces again in the running epoch.
  if (paid && isPoor(paid) && (found.figures.expected === 0 || isPoor(found.figures)))
    return fail({
      what: "the successor misses most of its slots",
      saidBy: [source],
      found: [
        `epoch ${paid.epoch}, paid: ${paid.produced} of ${paid.expected}`,
        `this epoch so far, by a count up to five minutes old: ${found.figures.produced} of ${found.figures.expected}`,
      ],
      needed: "its clock, its peers and its log looked at; half of its slots at least in the epoch that runs",
    });
  const slots = paid ? `, and ${paid.produced} of ${paid.expected} slots in epoch ${paid.epoch}` : "";
  return met(`${address} is registered and produced momentum ${last.successor?.height}${slots}, says ${source}`);
}

/** True if fewer than half of the slots were filled. */
function isPoor({ expected, produced }: { readonly expected: number; readonly produced: number }): boolean {
  return produced * 2 < expected;
}

function overdueText({ standing, patience }: GoodReading, network: Network): string {
  const words = standingText(standing, network);
  if (standing === undefined || (standing.place === undefined && standing.pillars > network.tickMomentums))
    return `${words}: so it gets the shortest time limit, that of a Pillar with the best chance of election`;
  return `${words}: a healthy Pillar of this rank is without a momentum for ${durationText(patience)} in fewer than 1 of 10,000 cases`;
}
