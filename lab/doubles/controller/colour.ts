const colour = (code: string) => (text: string) => `\u001b[${code};1m${text}\u001b[0m`;

/** Colours are never left out: the controller does not look whether anyone sees them. */
export const green = colour("32");
/** For errors. */
export const red = colour("31");
/** For warnings. */
export const orange = colour("38;5;208");
