/** Creates an error whose message the operator sees unchanged. A mark, because stored code can't keep a class. */
export function operatorFault(message: string): Error & { readonly isForOperator: true } {
  return Object.assign(new Error(message), { isForOperator: true as const });
}

/** Returns an error's text for the operator; undefined for a bug of the program, which needs a stack trace. */
export function plainFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("isForOperator" in error) return error.message;
  if (error.name === "YAMLParseError")
    return `a text of the configuration can't be read\n  found: ${error.message}\n  needed: YAML, and answers of one line`;
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === undefined || (path === undefined && needed[code] === undefined)) return undefined;
  return `this machine refuses what has to be done\n  found: ${error.message}\n  needed: ${needed[code] ?? "set that right, then run the same command again"}`;
}

const elsewhere = "a directory that you may read and write, with room; or another user";

const needed: Readonly<Record<string, string>> = {
  EACCES: elsewhere,
  EDQUOT: elsewhere,
  EEXIST: "wait until the other run that makes it has ended, or take another name",
  ENAMETOOLONG: "a shorter name",
  ENOSPC: elsewhere,
  EPERM: elsewhere,
  EROFS: elsewhere,
};
