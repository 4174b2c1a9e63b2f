import { formatProblem, type Problem } from "./problem";

/** Creates an error that the operator sees unchanged. A class would not survive in providers' stored code. */
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
