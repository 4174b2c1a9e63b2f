/**
 * Names of the variables with the number of rounds, and the first one's seed, that `npm run explore` gives a lab test.
 */
export const roundsVariable = "PILLAR_LAB_ROUNDS";
export const firstSeedVariable = "PILLAR_LAB_FIRST_SEED";
