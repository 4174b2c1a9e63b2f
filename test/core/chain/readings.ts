import type { ChainClient } from "../../../core/chain/chain";
import { ageFault, type NotTold, type Reading } from "../../../core/chain/reading";

/** A node that is asked for nothing but what a test gives it. */
export function clientNamed(name: string, changes: Partial<ChainClient> = {}): ChainClient {
  const unasked = (what: string) => () => Promise.reject(new Error(`${name} was asked for ${what}`));
  return {
    name,
    newest: unasked("its newest momentum"),
    momentums: unasked("momentums"),
    before: unasked("a momentum before"),
    pillar: unasked("a Pillar"),
    standing: unasked("a standing"),
    paidEpochs: unasked("paid epochs"),
    rewards: unasked("rewards"),
    bridge: unasked("the bridge"),
    close: () => undefined,
    ...changes,
  };
}

/** A node that gives no answer. */
export function silent(name: string, why = "ECONNREFUSED"): NotTold {
  return { client: clientNamed(name), fault: { kind: "silent", why } };
}

/** A node whose newest momentum has this height and age, by its own clock. */
export function atHeight(name: string, height: number, age = 3000): Reading {
  const clock = Date.UTC(2026, 0, 2);
  const newest = { height, timestamp: clock - age, hash: `h${height}`, producer: "z1q" };
  const fault = ageFault({ newest, clock });
  return fault ? { client: clientNamed(name), fault } : { client: clientNamed(name), newest, clock };
}
