/**
 * How old a node's newest momentum may be, in milliseconds, before the node counts as behind: a slot is 10 s
 * (docs/chain.md, Chain).
 */
export const freshMomentum = 120_000;
