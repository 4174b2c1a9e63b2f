/**
 * Measured on the main network: 11.35 to 11.46 s from one momentum to the next, because some slots stay empty. Only for
 * times that an operator reads: slots and ticks themselves take 10 s per slot (docs/chain.md, Chain).
 */
export const networkPaceMs = 11_400;
