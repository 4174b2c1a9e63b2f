/**
 * Names of the variables with the number of rounds, and the first one's seed, that `npm run explore` gives a lab test.
 */
export const roundsVariable = "PILLAR_LAB_ROUNDS";
export const firstSeedVariable = "PILLAR_LAB_FIRST_SEED";

/** Number of rounds that a lab test plays; one, unless `npm run explore` asks for more. */
export const rounds = Number(process.env[roundsVariable] ?? 1);

/** Returns the seed of each round. `usual`: the first one in CI. */
export function listSeeds(usual: number): number[] {
  const first = Number(process.env[firstSeedVariable] ?? usual);
  return Array.from({ length: rounds }, (_, round) => first + round);
}
