import { printableLines } from "../../core/util/printable.ts";
import { formatOperatorError } from "../../core/util/problem.ts";

/** Formats an error, without a stack trace if it is for the operator. Made printable, because it may quote a host. */
export function formatError(error: unknown): string {
  return printableLines(
    formatOperatorError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)),
  );
}

/** The exit code of a refusal, and of an unusable command line. */
export const refusalExitCode = 2;
