import { printableLines } from "../../core/util/printable.ts";
import { formatOperatorError, formatProblem, type Problem } from "../../core/util/problem.ts";

/** An error for the operator: the program ends and prints it without a stack trace. */
export class CliRefusal extends Error {}

export const createRefusal = (problem: Problem): CliRefusal => new CliRefusal(formatProblem(problem));

/** Formats an error, without a stack trace if it is for the operator. Made printable, because it may quote a host. */
export function formatError(error: unknown): string {
  const words = error instanceof CliRefusal ? error.message : formatOperatorError(error);
  return printableLines(words ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)));
}

/** The exit code of a refusal, and of an unusable command line. */
export const refusalExitCode = 2;
