import { backgroundProducer } from "./momentum";
import { newPillar, type Pillar } from "./pillars";
import type { EpochFigures, PillarView } from "./truth";

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
    return { ...newPillar(name, 0), producerAddress, weight: backgroundWeight, producers: [], currentStats };
  });
  return [...registered, ...others]
    .sort((a, b) => Number(BigInt(b.weight) - BigInt(a.weight)))
    .map((pillar, rank) => ({ ...pillar, rank }));
}

/** Returns the paid epochs on a page, newest first. */
export function epochsOfPage(count: number, page: number, size: number): number[] {
  const newest = count - 1 - page * size;
  // A fast chain has millions of epochs, so only those of the page are built.
  return Array.from({ length: Math.max(0, Math.min(size, newest + 1)) }, (_, index) => newest - index);
}

/** Returns a Pillar's figures for paid epochs, with the field names of the real network. */
export function epochFigures(
  pillar: Pick<Pillar, "name"> & Partial<Pillar>,
  epochs: readonly number[],
  figures: (epoch: number) => { produced: number; expected: number },
): EpochFigures[] {
  return epochs.map((epoch) => {
    const { produced, expected } = figures(epoch);
    return {
      name: pillar.name,
      epoch,
      producedBlockNum: produced,
      expectedBlockNum: expected,
      weight: pillar.weight ?? "0",
      giveBlockRewardPercentage: pillar.giveMomentumRewardPercentage ?? 0,
      giveDelegateRewardPercentage: pillar.giveDelegateRewardPercentage ?? 0,
    };
  });
}
