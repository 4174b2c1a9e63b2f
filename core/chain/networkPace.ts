/**
 * Milliseconds from one momentum to the next on the main network, as measured: 11.35 to 11.46 s, since slots stay empty. For
 * durations and dates that an operator reads; slots and ticks themselves are spans of 10 s (docs/chain.md, Chain).
 */
export const networkPaceMs = 11_400;
