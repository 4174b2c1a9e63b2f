/** Details are left out if there is no room. A command stays on one line if it can, so that it can be pasted. */
export type Row = readonly [label: string, text: string, weight?: "detail" | "command"];
