/** A line that is left out where it does not apply. */
type Line = string | false | undefined;

/** A problem as the operator reads it. The lines of each field follow each other in this order. */
export interface Problem {
  /** What is wrong, as the first line. */
  readonly what: string;
  /** What was read instead of what is needed. */
  readonly found?: Line | readonly Line[];
  /** What the operator has to provide, as an imperative. */
  readonly needed?: Line | readonly Line[];
  /** Help, and at the end the next command. */
  readonly next?: Line | readonly Line[];
}

/** Formats a problem: what is wrong, and below it, indented, what was found, what is needed, and what to do next. */
export function formatProblem({ what, found, needed, next }: Problem): string {
  return [what, ...indent("found: ", found), ...indent("needed: ", needed), ...indent("", next)].join("\n");
}

function indent(label: string, lines: Line | readonly Line[]): string[] {
  return [lines].flat().flatMap((line) => (line ? [`  ${label}${line}`] : []));
}
