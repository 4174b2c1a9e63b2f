/** A line; omitted if false or undefined. */
type Line = string | false | undefined;

/** Kinds that rules and callers tell apart, so that no text decides. */
export type ProblemKind =
  | ("awaiting" | "gaveUp") // of a wait for the sync; `awaiting`: nothing failed
  | ("late" | "tooLarge" | "wrongAnswer" | "noMethod" | "unreached" | "unreadableJournal" | "cloud") // of an answer
  | ("refusedCopy" | "anotherRun") // nothing was changed; `anotherRun`: it is at work on that host
  | ("otherHostKey" | "refusedLogin" | "refusedCommand" | "noAlgorithm" | "forbidden") // of a host that refuses this program, so that no retry helps
  | ("unknownName" | "refusedPort" | "closedPort") // of a connection to a host, or to a port on it
  | ("noServer" | "serverGone"); // of a stack whose server is not there yet, or not any more

export interface Problem {
  readonly kind?: ProblemKind | undefined;
  /** HTTP status of the answer that is the problem. */
  readonly status?: number | undefined;
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

/** An error for the operator, who sees its message unchanged. The code decides by its kind, and never by its message. */
export class ProblemError extends Error {
  // Private, because Node prints an error's own fields beside its stack trace.
  readonly #problem: Problem;

  constructor(problem: Problem) {
    super(formatProblem(problem));
    this.#problem = problem;
  }

  get problem(): Problem {
    return this.#problem;
  }
}

export function hasKind(error: unknown, ...kinds: readonly ProblemKind[]): boolean {
  // By value: an error may come from another copy of this module, as in the search for planted mistakes.
  return kinds.some((kind) => kind === (error as Partial<ProblemError> | undefined)?.problem?.kind);
}

/** Returns a handler that ignores the problems of answers with these HTTP statuses. */
export function ignoreStatuses(...statuses: readonly number[]) {
  return (error: ProblemError): undefined => {
    if (!statuses.includes(error.problem?.status ?? 0)) throw error;
  };
}

function indent(label: string, lines: Line | readonly Line[]): string[] {
  return [lines].flat().flatMap((line) => (typeof line === "string" ? [`  ${label}${line}`] : []));
}

/** Returns an error's text for the operator; undefined for a bug of the program, which needs a stack trace. */
export function formatOperatorError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ProblemError) return error.message;
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
