import { hash } from "node:crypto";

/** Pillar that can be elected, with its delegated weight. */
export interface Candidate {
  name: string;
  weight: bigint;
}

/**
 * Elects the Pillars for the slots of a tick, as the real network does, and returns their names in slot order. If every
 * Pillar fits into a slot, they take turns. Otherwise half of the slots go to Pillars drawn from the heaviest, half to
 * Pillars drawn from all others.
 * @param seed different for each tick
 */
export function electedOf(candidates: readonly Candidate[], slots: number, seed: string): string[] {
  if (candidates.length === 0) return [];
  if (candidates.length <= slots)
    return Array.from({ length: slots }, (_, slot) => candidates[slot % candidates.length]?.name ?? "");
  const ranked = candidates.toSorted((a, b) => (a.weight < b.weight ? 1 : a.weight > b.weight ? -1 : 0));
  const half = Math.floor(slots / 2);
  const top = shuffled(ranked.slice(0, slots), `${seed} top`);
  const first = top.slice(0, slots - half);
  const rest = [...ranked.slice(slots), ...top.slice(slots - half)];
  const drawn = shuffled(rest, `${seed} rest`).slice(0, half);
  return shuffled([...first, ...drawn], `${seed} order`).map(({ name }) => name);
}

function shuffled<T extends Candidate>(items: readonly T[], seed: string): T[] {
  const lot = ({ name }: T) => hash("sha256", `${seed} ${name}`);
  return items
    .map((item) => ({ item, lot: lot(item) }))
    .sort((a, b) => (a.lot < b.lot ? -1 : 1))
    .map(({ item }) => item);
}
