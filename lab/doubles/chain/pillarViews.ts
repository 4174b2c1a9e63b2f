import { backgroundProducer } from "./momentum";
import { newPillar, type Pillar } from "./pillars";
import type { EpochFigures, PillarView } from "./truth";

/** Less than that of a Pillar that is registered without another one. */
export const backgroundWeight = "1000000000000000";

/** All Pillars of the network, the one with most weight first. @param background names of those beside the registered */
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

/** The epochs on a page of those that were paid, newest first. */
export function epochsOfPage(count: number, page: number, size: number): number[] {
  const newest = count - 1 - page * size;
  // A chain in a hurry has millions of epochs.
  return Array.from({ length: Math.max(0, Math.min(size, newest + 1)) }, (_, index) => newest - index);
}

/** What a Pillar did in epochs that were paid, in the network's words. */
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
