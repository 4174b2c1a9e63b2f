/**
 * Milliseconds of age at which the newest momentum makes a node count as behind. A slot is 10 s (docs/chain.md, Chain).
 */
export const freshMomentum = 120_000;
