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

/** Creates an error that the operator sees unchanged. */
export function createOperatorError(problem: Problem): Error & { readonly isForOperator: true } {
  return Object.assign(new Error(formatProblem(problem)), { isForOperator: true as const });
}

/** Returns an error's text for the operator; undefined for a bug of the program, which needs a stack trace. */
export function formatOperatorError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("isForOperator" in error) return error.message;
  if (error.name === "YAMLParseError")
    return formatProblem({
      what: "a text of the configuration can't be read",
      found: error.message,
      needed: "write valid YAML; if you typed it as an answer, in one line",
    });
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || (path === undefined && needed[code] === undefined)) return undefined;
  return formatProblem({
    what: "this machine refused an operation",
    found: error.message,
    needed: needed[code] ?? "fix this, then run the same command again",
  });
}

const useOther = "use a directory that you may read and write, on a disk with free space, or run this as another user";

const needed: Readonly<Record<string, string>> = {
  EACCES: useOther,
  EDQUOT: useOther,
  EEXIST: "wait until the run that creates this file has finished, or use another name",
  ENAMETOOLONG: "use a shorter name",
  ENOSPC: useOther,
  EPERM: useOther,
  EROFS: useOther,
};
