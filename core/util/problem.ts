/** A line; omitted if false or undefined. */
type Line = string | false | undefined;

export interface Problem {
  readonly what: string;
  readonly found?: Line | readonly Line[];
  /** Task of the operator, as an imperative. */
  readonly needed?: Line | readonly Line[];
  /** Help, and then the next command. */
  readonly next?: Line | readonly Line[];
}

/** Formats a problem: what is wrong, and below it, indented, what was found, what is needed, and what to do next. */
export function formatProblem({ what, found, needed, next }: Problem): string {
  return [what, ...indent("found: ", found), ...indent("needed: ", needed), ...indent("", next)].join("\n");
}

export function createProblemError(problem: Problem): Error {
  return new Error(formatProblem(problem));
}

function indent(label: string, lines: Line | readonly Line[]): string[] {
  return [lines].flat().flatMap((line) => (typeof line === "string" ? [`  ${label}${line}`] : []));
}
