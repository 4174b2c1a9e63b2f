/**
 * A line of a status: a label, and a text that may be wrapped. Details are left out if there is no room. A command
 * stays on one line if nothing has to fit, so that it can be pasted.
 */
export type Row = readonly [label: string, text: string, weight?: "detail" | "command"];
