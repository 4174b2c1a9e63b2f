import type { ChainClient } from "../../../core/chain/chain.ts";
import type { Produced } from "../../../core/chain/chainAnswers.ts";
import type { PillarAnswer } from "../../../core/registration/agreeOnRegistration.ts";
import { clientNamed } from "../chain/readings.ts";

export const ours = "z1qqjnwjjpnue8xmmpanz6csze6tcmtzzdtfsww7";
export const old = "z1qzlytaqdahg5t02nz5096frflfv7dm3y7yxmg7";
export const other = "z1qr4pexnnfaexqqz8nscjjcsajy5hdqfkgadvwx";
export const clock = Date.parse("2026-11-21T12:00:00Z");

/**
 * Creates a chain whose newest momentum came at `clock`, with these `producers` of its last momentums, one every 10 s.
 */
export function chainOf(producers: readonly string[], { first = 1000, name = "lab", age = 0 } = {}): Produced[] {
  return producers.map((producer, i) => ({
    height: first + i,
    producer,
    hash: `${name}-${first + i}`,
    timestamp: clock - age - (producers.length - 1 - i) * 10_000,
  }));
}

export const pillarOf = (producerAddress: string, figures = { expected: 10, produced: 9 }) => ({
  name: "Anvil",
  producerAddress,
  withdrawAddress: "z1qrewards",
  figures,
});

/** Returns what an honest node says of a Pillar that is registered with an address. */
export function says(
  node: string | ChainClient,
  registered: string | null,
  recent: readonly Produced[] = chainOf([old, other, old]),
): PillarAnswer {
  const client = typeof node === "string" ? clientNamed(node) : node;
  const pillar = registered === null ? null : pillarOf(registered);
  return { client, clock, newest: recent.at(-1) as Produced, recent, pillar };
}
