/** A line for an operator. `words` may be wrapped; a `command` stays on one line, so that it can be pasted. */
export interface OutputLine {
  readonly kind: "words" | "command";
  readonly text: string;
}

export const words = (text: string): OutputLine => ({ kind: "words", text });
export const command = (text: string): OutputLine => ({ kind: "command", text });
