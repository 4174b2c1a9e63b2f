/** A line for an operator: words, which may be wrapped, or one with a command, which stays whole as it is pasted. */
export interface ShownLine {
  readonly kind: "words" | "command";
  readonly text: string;
}

export const words = (text: string): ShownLine => ({ kind: "words", text });
export const command = (text: string): ShownLine => ({ kind: "command", text });
