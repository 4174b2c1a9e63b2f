/**
 * Measured milliseconds from one momentum to the next on the main network: 11.35 to 11.46 s, because some slots stay
 * empty. Use it for durations and dates that an operator reads; slots and ticks themselves take 10 s per slot
 * (docs/chain.md, Chain).
 */
export const networkPaceMs = 11_400;
