/** A line for an operator. `words` may be wrapped; a `command` stays on one line, so that it can be pasted. */
export interface ShownLine {
  readonly kind: "words" | "command";
  readonly text: string;
}

export const words = (text: string): ShownLine => ({ kind: "words", text });
export const command = (text: string): ShownLine => ({ kind: "command", text });
