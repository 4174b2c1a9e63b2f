/** The names of the variables by which `npm run explore` tells a lab test how many rounds to play, and the first one's seed. */
export const roundsVariable = "PILLAR_LAB_ROUNDS";
export const firstSeedVariable = "PILLAR_LAB_FIRST_SEED";
