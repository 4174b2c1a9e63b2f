/**
 * A line of what is shown: a label, and a text that may be wrapped. Details give way where there is no room; a command stays
 * one line where nothing has to fit, as it is pasted.
 */
export type Row = readonly [label: string, text: string, weight?: "detail" | "command"];
