import { ProblemError, type ProblemKind } from "./problem.ts";

/** A value, or the problem that prevents it. */
export type Result<T> = { readonly value: T } | { readonly problem: string; readonly kind?: ProblemKind | undefined };

/** Waits for a value. Never throws: message and kind of a failure are the problem. */
export function toResult<T>(value: Promise<T>): Promise<Result<T>> {
  return value.then(
    (value) => ({ value }),
    (error: unknown) => ({
      problem: error instanceof Error ? error.message : String(error),
      kind: error instanceof ProblemError ? error.problem.kind : undefined,
    }),
  );
}

/** Returns the value, or undefined if there is none. */
export function takeValue<T>(result: Result<T> | undefined): T | undefined {
  return result && "value" in result ? result.value : undefined;
}

/** @throws the problem if there is no value */
export function requireValue<T>(result: Result<T>): T {
  if ("problem" in result) throw new Error(result.problem);
  return result.value;
}

export function mapResult<T, R>(result: Result<T>, map: (value: T) => R): Result<R> {
  return "value" in result ? { value: map(result.value) } : result;
}
