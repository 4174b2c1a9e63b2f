/** A line of what is shown: a label, and a text that may be wrapped. Details give way where there is no room. */
export type Row = readonly [label: string, text: string, weight?: "detail"];
