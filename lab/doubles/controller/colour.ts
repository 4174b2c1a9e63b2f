const colour = (code: string) => (text: string) => `\u001b[${code};1m${text}\u001b[0m`;

/** Green text. The controller prints colors without checking whether its output is a terminal. */
export const green = colour("32");
/** Red text, for errors. */
export const red = colour("31");
/** Orange text, for warnings. */
export const orange = colour("38;5;208");
