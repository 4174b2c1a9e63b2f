import wrapAnsi from "wrap-ansi";

/** Wraps a sentence for 80 columns, of which the engine's indent takes four. Leaves a line with a command whole. */
export const wrapSentence = (line: string): string[] =>
  /^ {2}|pulumi |pillar-host /.test(line) ? [line] : wrapAnsi(line, 74).split("\n");
