/** How many rounds of the tests of random deaths are played, and the first one's seed: `npm run deaths`. */
export const deathsVariable = "PILLAR_LAB_DEATHS";
export const firstSeedVariable = "PILLAR_LAB_FIRST_SEED";
