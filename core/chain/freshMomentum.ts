/**
 * Maximum age of a node's newest momentum, in milliseconds, before the node counts as behind. A slot is 10 s
 * (docs/chain.md, Chain).
 */
export const freshMomentum = 120_000;
