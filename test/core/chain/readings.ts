import { type ChainClient, createChainClient } from "../../../core/chain/chain.ts";
import { findAgeFault, isAnswered, type Unanswered } from "../../../core/chain/reading.ts";
import type { WitnessAnswers, WitnessReading } from "../../../core/sync/judgeWitnesses.ts";

/** Creates a node that answers only what a test gives it. */
export function clientNamed(name: string, changes: Partial<ChainClient> = {}): ChainClient {
  const unasked = (what: string) => () => Promise.reject(new Error(`${name} was asked for ${what}`));
  return {
    name,
    newest: unasked("its newest momentum"),
    momentums: unasked("momentums"),
    before: unasked("a momentum before"),
    pillar: unasked("a Pillar"),
    standing: unasked("a standing"),
    pillarNames: unasked("the names of Pillars"),
    paidEpochs: unasked("paid epochs"),
    rewards: unasked("rewards"),
    bridge: unasked("the bridge"),
    version: unasked("its version"),
    id: unasked("its id"),
    peers: unasked("its peers"),
    sporks: unasked("sporks"),
    close: () => undefined,
    ...changes,
  };
}

/** Creates a client of a node with these answers by method. */
export const clientOf = (answer: (method: string) => object | undefined): ChainClient => {
  const ask = async (method: string) => ({ status: 200, body: JSON.stringify(answer(method)) });
  return createChainClient("node", ask, () => undefined);
};

/** Returns a node without an answer. */
export function silent(name: string, why = "ECONNREFUSED"): Unanswered {
  return { client: clientNamed(name), fault: { kind: "silent", why } };
}

/** Returns height and hash of a momentum, by default on the common chain. */
export const block = (height: number, chain = "h") => ({ height, hash: `${chain}${height}` });

/** Returns a node whose newest momentum has this height and age by its own clock. */
export function atHeight(name: string, height: number, age = 3000, chain = "h"): WitnessReading {
  const clock = Date.UTC(2026, 0, 2);
  const newest = { ...block(height, chain), timestamp: clock - age, producer: "z1q" };
  const fault = findAgeFault({ newest, clock });
  return fault ? { client: clientNamed(name), fault } : { client: clientNamed(name), newest, clock };
}

/** Returns these references and a node at a height, each with the momentum to compare. */
export function seenFrom(
  height: number,
  readings: readonly WitnessReading[],
  chains: { readonly own?: string; readonly theirs?: readonly string[] } = {},
): WitnessAnswers {
  const older = (i: number) => [block(height, chains.theirs?.[i])];
  const told = readings.map((reading, i) => (isAnswered(reading) ? { ...reading, older: older(i) } : reading));
  const ownOlder = readings.filter(isAnswered).map(({ newest }) => block(newest.height, chains.own));
  return { readings: told, own: { newest: block(height, chains.own), older: ownOlder } };
}
