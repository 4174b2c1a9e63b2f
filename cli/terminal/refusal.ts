import { formatOperatorError } from "../../core/util/operatorError";
import { printableLines } from "../../core/util/printable";

/** A reason to end, for the operator: it is printed without a stack trace. */
export class CliRefusal extends Error {}

/** Formats an error without a stack trace if it is for the operator. Printable, because it may quote others. */
export function formatError(error: unknown): string {
  const words = error instanceof CliRefusal ? error.message : formatOperatorError(error);
  return printableLines(words ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)));
}

/** The exit code of a refusal, and of an unusable command line. */
export const refusalExitCode = 2;
