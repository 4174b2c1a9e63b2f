import { backgroundProducer } from "./momentum";
import { newPillar } from "./pillars";
import type { PillarView } from "./truth";

/** Below the default weight of a registered Pillar. */
export const backgroundWeight = "1000000000000000";

/**
 * Returns all Pillars of the network by descending weight.
 * @param background names of the Pillars that no test registered
 */
export function electorateOf(registered: readonly PillarView[], background: readonly string[]): PillarView[] {
  const others = background.map((name): PillarView => {
    const producerAddress = backgroundProducer(name);
    const currentStats = { producedMomentums: 0, expectedMomentums: 0 };
    return { ...newPillar(name), producerAddress, weight: backgroundWeight, producers: [], currentStats };
  });
  return [...registered, ...others].sort((a, b) => Number(BigInt(b.weight) - BigInt(a.weight)));
}

/** Returns the paid epochs on a page, newest first. */
export function epochsOfPage(count: number, page: number, size: number): number[] {
  const newest = count - 1 - page * size;
  // A fast chain has millions of epochs, so only those of the page are built.
  return Array.from({ length: Math.max(0, Math.min(size, newest + 1)) }, (_, index) => newest - index);
}
